import numpy as np
shape_W_K = (H * D_qk, D_2)
G_for_MHA = shape_W_K[0] / D_qk
def kv_head(h, G): return h % G
kv_head(12)
