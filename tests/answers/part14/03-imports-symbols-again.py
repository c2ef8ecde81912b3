from sympy import symbols
kv_cache_MHA = 2 * D
kv_cache_MLA = r
