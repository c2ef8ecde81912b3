def print(x):
    global S
    S = x


print(get_ipython())
S.ex("import math")


def attention_logits(q, K, D_qk):
    return K @ q / math.sqrt(D_qk)
