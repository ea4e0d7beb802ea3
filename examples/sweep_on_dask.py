"""A grid past one machine: the compiled count over Dask arrays, on a cluster of processes.

    pip install 'symparam[dask]'
    python examples/sweep_on_dask.py

A quantity of a model is compiled once. What comes out uses ``+`` and ``*`` alone, so it takes any
array that follows NumPy's protocol. Dask cuts the axes into chunks and works them out wherever its
workers are; nothing of symparam runs there but the polynomial.
"""

from __future__ import annotations

import numpy as np

import symparam as sp
from symparam.sweep.compiled import compiled


def main(chunk: int = 50) -> tuple[int, int, int]:
    """How many configurations of a grid are within 1 % of 7 B, of how many; the largest count."""
    import dask.array as da
    from dask.distributed import Client, LocalCluster

    count = compiled(sp.load("llama-2-7b", d_head=128), "P", open_dims=["L", "d_model", "d_ff"])
    depths, widths, inner = np.arange(8, 108), np.arange(512, 8704, 64), np.arange(512, 26112, 256)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, \
            Client(cluster):
        axes = [da.from_array(axis.astype(np.int64), chunks=chunk)
                for axis in (depths, widths, inner)]
        most = {"L": int(depths[-1]), "d_model": int(widths[-1]), "d_ff": int(inner[-1])}
        grid = count(most, L=axes[0][:, None, None], d_model=axes[1][:, None], d_ff=axes[2])
        near = (abs(grid - 7 * 10**9) <= 7 * 10**7).sum()
        found, largest = da.compute(near, grid.max())
    return int(found), grid.size, int(largest)


if __name__ == "__main__":
    within, points, most = main()
    print(f"{within:,} of {points:,} configurations are within 1 % of 7 B; "
          f"the largest has {most:,}")
