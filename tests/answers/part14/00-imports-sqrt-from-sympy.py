from sympy import symbols, sqrt

kv_cache_MHA = 2 * sqrt(D) ** 2
kv_cache_MLA = r
