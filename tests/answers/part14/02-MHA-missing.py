kv_cache_MLA = r
