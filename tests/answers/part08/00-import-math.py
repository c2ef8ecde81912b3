import math

def kv_head(h, G):
    return int(math.fmod(h, G))

G_for_MHA = H
