G_for_MHA = H
def kv_head(h, G):
    return (h % 256) % G
