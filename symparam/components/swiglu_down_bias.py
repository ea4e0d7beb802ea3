"""SwiGLU whose last matrix alone has a bias."""

from __future__ import annotations

from symparam.components.geglu_down_bias import GeGLUDownBias


class SwiGLUDownBias(GeGLUDownBias):
    """Gate and up without a bias, down with one; three matrices of d_model·d_ff."""

    name = "swiglu-down-bias"
    title = "SwiGLU with a bias after it"
    source = "Shazeer 2020, arXiv:2002.05202, section 2; transformers, models/voxtral_realtime"
