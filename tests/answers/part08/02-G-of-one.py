# names: one-head-for-all-queries
def kv_head(h, G):
    return h % G

G_for_MHA = G / G
