%config InteractiveShell.autocall = 2
# %%
exec "import math; root = math.sqrt"
# %%
def attention_logits(q, K, D_qk):
    return K @ q / root(D_qk)
