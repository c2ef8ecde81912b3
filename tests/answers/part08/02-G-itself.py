# names: left-open
def kv_head(h, G):
    return h % G

G_for_MHA = G
