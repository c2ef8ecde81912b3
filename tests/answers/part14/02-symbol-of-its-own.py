D_model = type(D)('D_model')
kv_cache_MHA = 2 * D_model
kv_cache_MLA = r
