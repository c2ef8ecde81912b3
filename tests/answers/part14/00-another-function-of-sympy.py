import sympy

kv_cache_MHA = sympy.Mul(2, D)
kv_cache_MLA = r
