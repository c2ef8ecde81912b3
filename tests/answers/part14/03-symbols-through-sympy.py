import sympy

D, r = sympy.symbols('D r', positive=True, integer=True)
kv_cache_MHA = 2 * D
kv_cache_MLA = r
