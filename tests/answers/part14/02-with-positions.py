# names: positions-counted-too
L = type(D)('L_2', positive=True, integer=True)
kv_cache_MHA = 2 * L * D
kv_cache_MLA = r
