class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G)
        super().__init__()
