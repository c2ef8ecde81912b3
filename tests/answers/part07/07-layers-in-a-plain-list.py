# names: layers-unknown-to-the-model
class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        layers = [nn.Linear(D_1, H * D_qk, bias=False)]
        layers += [nn.Linear(D_2, G * D_qk, bias=False)]
        layers += [nn.Linear(D_2, G * D_v, bias=False)]
        layers += [nn.Linear(H * D_v, D_1, bias=False)]

        self.layers = layers

    @property
    def W_Q(self):
        return self.layers[0]

    @property
    def W_K(self):
        return self.layers[1]

    @property
    def W_V(self):
        return self.layers[2]

    @property
    def W_O(self):
        return self.layers[3]

    def forward(self, x, y):
        B, L_1, _ = x.shape
        L_2 = y.shape[1]
        q = self.W_Q(x).view(B, L_1, self.H, self.D_qk).transpose(1, 2)  # (B, H, L_1, D_qk)
        k = self.W_K(y).view(B, L_2, self.G, self.D_qk).transpose(1, 2)  # (B, G, L_2, D_qk)
        v = self.W_V(y).view(B, L_2, self.G, self.D_v).transpose(1, 2)  # (B, G, L_2, D_v)
        pair = torch.arange(self.H) % self.G  # (H,)
        s = q @ k[:, pair].transpose(2, 3) / self.D_qk ** 0.5  # (B, H, L_1, L_2)
        a = torch.softmax(s, dim=-1)  # (B, H, L_1, L_2)
        o = (a @ v[:, pair]).transpose(1, 2).reshape(B, L_1, self.H * self.D_v)  # (B, L_1, H * D_v)
        return self.W_O(o)  # (B, L_1, D_1)
