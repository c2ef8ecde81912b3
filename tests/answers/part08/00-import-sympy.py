from sympy import Mod

def kv_head(h, G):
    return int(Mod(h, G))

G_for_MHA = H
