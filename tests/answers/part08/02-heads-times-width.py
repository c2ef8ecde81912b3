# names: width-counted-too
def kv_head(h, G):
    return h % G

G_for_MHA = H * D_qk
