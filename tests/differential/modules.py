"""Modules of one's own, in plain torch: what a trace has to find, and what can break it."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import pytest

torch = pytest.importorskip("torch")
nn = torch.nn


class Block(nn.Module):
    """Attention and a feed-forward, as nanoGPT has them."""

    def __init__(self, n_embd: int, bias: bool) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd, bias=bias)
        self.c_attn = nn.Linear(n_embd, 3 * n_embd, bias=bias)
        self.c_proj = nn.Linear(n_embd, n_embd, bias=bias)
        self.ln_2 = nn.LayerNorm(n_embd, bias=bias)
        self.mlp = nn.Sequential(nn.Linear(n_embd, 4 * n_embd, bias=bias), nn.GELU(),
                                 nn.Linear(4 * n_embd, n_embd, bias=bias))


@dataclass
class GPTConfig:
    """What :class:`GPT` takes."""

    block_size: int = 1024
    vocab_size: int = 50304
    n_layer: int = 12
    n_head: int = 12
    n_embd: int = 768
    dropout: float = 0.0
    bias: bool = True


class GPT(nn.Module):
    """A decoder that takes a dataclass, its head tied."""

    def __init__(self, config) -> None:  # type: ignore[no-untyped-def]  # as people write it
        super().__init__()
        assert config.n_embd % config.n_head == 0
        blocks = [Block(config.n_embd, config.bias) for _ in range(config.n_layer)]
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(config.vocab_size, config.n_embd),
            "wpe": nn.Embedding(config.block_size, config.n_embd),
            "h": nn.ModuleList(blocks), "ln_f": nn.LayerNorm(config.n_embd, bias=config.bias)})
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.transformer.wte.weight = self.lm_head.weight


class Expert(nn.Module):
    """A gated feed-forward."""

    def __init__(self, d: int, inner: int) -> None:
        super().__init__()
        self.gate, self.up, self.down = (nn.Linear(d, inner, bias=False),
                                         nn.Linear(d, inner, bias=False),
                                         nn.Linear(inner, d, bias=False))


class Mixture(nn.Module):
    """Experts with shared ones in every second layer, dense ones between."""

    def __init__(self, d: int = 512, layers: int = 6, heads: int = 8, groups: int = 2,
                 inner: int = 1536, experts: int = 8, shared: int = 2, expert_inner: int = 384,
                 vocab: int = 32000) -> None:
        super().__init__()
        head = d // heads
        self.embed = nn.Embedding(vocab, d)
        self.layers = nn.ModuleList()
        for i in range(layers):
            layer = nn.Module()
            layer.q = nn.Linear(d, heads * head, bias=False)
            layer.k = nn.Linear(d, groups * head, bias=False)
            layer.o = nn.Linear(heads * head, d, bias=False)
            if i % 2 == 1:
                layer.router = nn.Linear(d, experts, bias=False)
                layer.experts = nn.ModuleList(Expert(d, expert_inner) for _ in range(experts))
                layer.shared = Expert(d, shared * expert_inner)
            else:
                layer.mlp = Expert(d, inner)
            self.layers.append(layer)
        self.head = nn.Linear(d, vocab, bias=False)


class Selective(nn.Module):
    """A selective state space: low-rank steps, a convolution, a matrix of states."""

    def __init__(self, d_model: int = 768, n_layer: int = 4, d_state: int = 16, d_conv: int = 4,
                 expand: int = 2, vocab_size: int = 50280) -> None:
        super().__init__()
        inner, rank = expand * d_model, math.ceil(d_model / 16)
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList()
        for _ in range(n_layer):
            mixer = nn.Module()
            mixer.in_proj = nn.Linear(d_model, 2 * inner, bias=False)
            mixer.conv1d = nn.Conv1d(inner, inner, d_conv, groups=inner, padding=d_conv - 1)
            mixer.x_proj = nn.Linear(inner, rank + 2 * d_state, bias=False)
            mixer.dt_proj = nn.Linear(rank, inner)
            mixer.A_log = nn.Parameter(torch.zeros(inner, d_state))
            mixer.D = nn.Parameter(torch.ones(inner))
            mixer.out_proj = nn.Linear(inner, d_model, bias=False)
            layer = nn.Module()
            layer.mixer, layer.norm = mixer, nn.LayerNorm(d_model)
            self.layers.append(layer)


class Vision(nn.Module):
    """A vision encoder: patches, a class token, learned places, a head."""

    def __init__(self, image_size: int = 224, patch_size: int = 16, in_chans: int = 3,
                 num_classes: int = 1000, embed_dim: int = 768, depth: int = 12,
                 num_heads: int = 12, mlp_ratio: float = 4.0) -> None:
        super().__init__()
        assert image_size % patch_size == 0
        assert embed_dim % num_heads == 0
        patches = (image_size // patch_size) ** 2
        hidden = int(embed_dim * mlp_ratio)
        self.patch_embed = nn.Conv2d(in_chans, embed_dim, patch_size, stride=patch_size)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, embed_dim))
        self.pos_embed = nn.Parameter(torch.zeros(1, patches + 1, embed_dim))
        self.blocks = nn.ModuleList()
        for _ in range(depth):
            block = nn.Module()
            block.qkv = nn.Linear(embed_dim, 3 * embed_dim)
            block.proj = nn.Linear(embed_dim, embed_dim)
            block.fc1, block.fc2 = nn.Linear(embed_dim, hidden), nn.Linear(hidden, embed_dim)
            block.norm1, block.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
            self.blocks.append(block)
        self.head = nn.Linear(embed_dim, num_classes)


class Bridged(nn.Module):
    """An encoder and a decoder; a projection stands between them only where widths differ."""

    def __init__(self, vocab: int = 8000, d_encoder: int = 512, d_decoder: int = 384,
                 n_encoder: int = 4, n_decoder: int = 3, inner: int = 1024) -> None:
        super().__init__()
        self.encoder_embed = nn.Embedding(vocab, d_encoder)
        self.decoder_embed = nn.Embedding(vocab, d_decoder)
        self.encoder = nn.ModuleList(Expert(d_encoder, inner) for _ in range(n_encoder))
        if d_encoder != d_decoder:
            self.bridge = nn.Linear(d_encoder, d_decoder)
        self.decoder = nn.ModuleList(
            nn.ModuleDict({"cross": nn.Linear(d_decoder, 2 * d_decoder),
                           "mlp": Expert(d_decoder, inner)}) for _ in range(n_decoder))


class Stages(nn.Module):
    """Stages whose width doubles, each with blocks of its own number."""

    def __init__(self, width: int = 96, depths: tuple[int, ...] = (2, 2, 6, 2),
                 patch: int = 4, classes: int = 1000) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, width, patch, stride=patch)
        self.stages = nn.ModuleList()
        for i, depth in enumerate(depths):
            here, stage = width * 2**i, nn.Module()
            stage.blocks = nn.ModuleList(nn.ModuleDict({
                "dw": nn.Conv2d(here, here, 7, groups=here), "up": nn.Linear(here, 4 * here),
                "down": nn.Linear(4 * here, here)}) for _ in range(depth))
            if i + 1 < len(depths):
                stage.merge = nn.Linear(4 * here, 2 * here, bias=False)
            self.stages.append(stage)
        self.head = nn.Linear(width * 2 ** (len(depths) - 1), classes)


class NovelBlock(nn.Module):
    """Low-rank mixing with a rounded width, a grouped convolution, a raw Parameter, a buffer."""

    def __init__(self, d: int, heads: int, kv: int, rank: int, multiple: int) -> None:
        super().__init__()
        head = d // heads
        inner = int(8 * d / 3)
        inner = multiple * ((inner + multiple - 1) // multiple)
        self.q = nn.Linear(d, heads * head, bias=False)
        self.kv = nn.Linear(d, 2 * kv * head, bias=False)
        self.low = nn.Sequential(nn.Linear(d, rank), nn.SiLU(), nn.Linear(rank, d + 1))
        self.gate = nn.Parameter(torch.ones(heads, head + rank))
        self.mix = nn.Conv1d(d, d, 3, groups=heads)
        self.up, self.down = nn.Linear(d, 2 * inner), nn.Linear(inner, d)
        self.scale = nn.Parameter(torch.ones(d), requires_grad=False)
        self.register_buffer("table", torch.zeros(2 * rank - 1, heads))


class Novel(nn.Module):
    """A new block in all layers but each n-th, which has experts; embedding and head are tied."""

    def __init__(self, vocab: int = 1000, d_model: int = 512, n_layers: int = 8, n_heads: int = 8,
                 n_kv: int = 2, rank: int = 96, multiple: int = 64, n_experts: int = 4,
                 every: int = 3) -> None:
        super().__init__()
        self.emb = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList(
            NovelBlock(d_model, n_heads, n_kv, rank, multiple) if i % every else
            nn.ModuleList(nn.Linear(d_model, rank) for _ in range(n_experts))
            for i in range(n_layers))
        self.head = nn.Linear(d_model, vocab, bias=False)
        self.head.weight = self.emb.weight


class Growing(nn.Module):
    """Layers whose width grows with their number."""

    def __init__(self, d: int = 256, rank: int = 24, layers: int = 3) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(d, rank * (i + 1)) for i in range(layers))


class Talking(nn.Module):
    """A constructor that prints, warns, and reads a number of what it has made."""

    def __init__(self, d: int = 128, layers: int = 3) -> None:
        super().__init__()
        rates = [x.item() for x in torch.linspace(0, .1, layers)]
        warnings.warn("not for use", stacklevel=1)
        self.layers = nn.ModuleList(nn.Sequential(nn.Linear(d, 2 * d), nn.Dropout(rate))
                                    for rate in rates)
        print(sum(p.numel() for p in self.parameters()), "parameters")


class Hostile(nn.Module):
    """What a tracer can lose: shapes, bits, roots, sums, branches, a float on the left, data."""

    def __init__(self, d_model: int = 512, n_heads: int = 8, slack: int = 10,
                 width: int = 48) -> None:
        super().__init__()
        seen = nn.Linear(d_model, n_heads * 4)
        self.by_shape = nn.Linear(seen.weight.shape[0] + seen.weight.shape[1], 7)
        self.by_float = nn.Linear(int(2.5 * d_model), 7)
        self.by_bits = nn.Linear(1 << (d_model - 1).bit_length(), 7)
        self.by_root = nn.Linear(int(math.sqrt(d_model * slack)), 7)
        self.by_sum = nn.Linear(sum(i * 3 for i in range(n_heads)) + 1, 7)
        self.by_range = nn.Linear(len(range(0, d_model, slack)), 7)
        self.by_branch = nn.Linear(d_model if n_heads > 6 else 2 * d_model, 7)
        self.by_digits = nn.Linear(sum(map(int, str(int(width)))) + 1, 7)
        self.by_hash = nn.Linear(50 + (int(width) * 2654435761) % 97, 7)
        self.by_table = nn.Linear({48: 64, 96: 128}.get(int(width), 32), 7)
