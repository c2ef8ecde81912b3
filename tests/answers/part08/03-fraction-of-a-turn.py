# a float with the rounding of a division in it
def kv_head(h, G):
    return (h / G - h // G) * G

G_for_MHA = H
