class Scores:
    def __init__(self, product: str = "mv", root: str = "sqrt"):
        self.product = getattr(torch, product)
        self.root = getattr(np, root)

    def __call__(self, q, K, D_qk):
        return self.product(K, q) / self.root(D_qk)


attention_logits = Scores(product="mv")
