# names: query-heads-for-each
def kv_head(h, G):
    return h % G

G_for_MHA = H / G
