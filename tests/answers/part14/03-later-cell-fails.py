kv_cache_MHA = D * 2
kv_cache_MLA = r

# %%
print(kv_cache_MHA / undefined_name)
