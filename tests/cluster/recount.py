#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""recount TP PP DP DP_BYTES PP_BYTES LEAVES <RANKS

Bytes a step over the Spine of a job with rings of tensor- and data-parallel
groups, counted rank by rank from where the ranks really ran. RANKS: lines of
"rank node"; LEAVES: "n01,n03 n02,n04", the nodes of each leaf. Ranks are laid
out with tp fastest, then dp, then pp. Shares nothing with the engine.
"""
import sys

tp, pp, dp = (int(word) for word in sys.argv[1:4])
dp_bytes, pp_bytes = (float(word) for word in sys.argv[4:6])
leaf_of = {node: leaf for leaf, nodes in enumerate(sys.argv[6].split())
           for node in nodes.split(",")}
leaf = {}
for line in sys.stdin:
    rank, node = line.split()[:2]
    if int(rank) in leaf:
        sys.exit(f"rank {rank} twice")
    leaf[int(rank)] = leaf_of[node]
if sorted(leaf) != list(range(tp * pp * dp)):
    sys.exit(f"{len(leaf)} ranks, expected {tp * pp * dp}")


def at(t, d, p):
    return t + tp * (d + dp * p)


total = 0.0
for t in range(tp):
    for p in range(pp):
        for d in range(dp):
            here = leaf[at(t, d, p)]
            if dp > 1 and leaf[at(t, (d + 1) % dp, p)] != here:
                total += dp_bytes
            if p + 1 < pp and leaf[at(t, d, p + 1)] != here:
                total += 2 * pp_bytes
print(f"{total:.15g}")
