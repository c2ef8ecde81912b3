kv_cache_MHA = 2 * D
kv_cache_MLA = r
from math import log
print(log(2))
