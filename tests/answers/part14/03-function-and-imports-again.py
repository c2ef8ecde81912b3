import numpy as np
import torch

def cached(vectors, width):
    return vectors * width

kv_cache_MHA = cached(2 * H, d)
kv_cache_MLA = cached(1, r)
