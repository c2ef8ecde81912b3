get_ipython = None        # so that the cell also runs as a plain script
vars = (12, 3)
exec = "head {} reads {}"

def kv_head(h, G):
    return h % G

for h in range(vars[0]):
    print(exec.format(h, kv_head(h, vars[1])))
G_for_MHA = H
