"""One statement an output: what is free, what counts as a second one, and which output and line it is."""

import ast
import re
import textwrap
import time

import busy
import pytest
from hand_written import notebook

from attention import rules
from attention.rules.statements import second_statement

HEAD = "def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):\n"
FREE = {
    "a return that comes early": """
if H == 1:
    return W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)
Q = f(W_Q, W_UK)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "looked at on the way": """
Q = f(W_UK, W_Q)
torch.testing.assert_close(Q, Q)
torch.manual_seed(0)
torch.set_default_dtype(Q.dtype)
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "blocks side by side, split": """
r, D = np.shape(W_DKV)
d = D // H
WO = torch.stack(W_O.hsplit(H))
UV = torch.stack(torch.vsplit(W_UV, H))
UK, WQ = W_UK.unfold(0, d, d), W_Q.as_strided((H, d, D), (d * D, D, 1)).adjoint()
return W_DKV, W_DKV, (r / d) ** 0.5 * (WQ @ UK.mT).mT.reshape(H * r, D), torch.hstack((WO @ UV).unbind())
""",
    "numbers of a tensor's type": """
r, D = W_DKV.shape
scale = W_Q.new_tensor(r * H / D).sqrt()
share = W_O.new_ones(1) / H
Q = scale * f(W_UK, W_Q)
O = g(W_O, W_UV) * H * share
return W_DKV, W_DKV, Q, O
""",
    "a lambda within": """
blocks = lambda W: W.view(H, D // H, -1)
UK = blocks(W_UK)
Q = (UK.mT @ blocks(W_Q)).reshape(-1, D)
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "a tuple of a list": """
Q, O = f(W_UK, W_Q), g(W_O, W_UV)
return tuple([W_DKV, W_DKV, Q, O])
""",
    "an einsum that rearranges": """
UK = torch.einsum("hdr -> hrd", W_UK.view(H, -1, W_DKV.shape[0]))
Q = (UK @ W_Q.view(H, -1, W_Q.shape[1])).flatten(0, 1)
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "rows turned round": """
heads = torch.flip(W_UK.view(H, -1, W_DKV.shape[0]), (0,))
return W_DKV, W_DKV, (heads.mT @ W_Q.view(H, -1, W_Q.shape[1]).flip(0)).flip(0).flatten(0, 1), g(W_O, W_UV)
""",
    "unpacked with a star": """
hats = W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)
K, *others = hats
*first, O = [K, *others]
return *first, O
""",
    "a tuple with names": """
class Hats(tuple):
    W_Q = property(lambda self: self[2])
Q, O = f(W_UK, W_Q), g(W_O, W_UV)
return Hats((W_DKV, W_DKV, Q, O))
""",
    "a tuple that is made of its entries": """
class Hats(tuple):
    def __new__(cls, K, V, Q, O): return super().__new__(cls, (K, V, Q, O))
    def __repr__(self): return f"hats of {len(self)}"
Q, O = f(W_UK, W_Q), g(W_O, W_UV)
return Hats(W_DKV, W_DKV, O=O, Q=Q)
""",
    "a list of a tuple": """
hats = list((W_DKV, W_DKV, f(W_UK, W_Q)))
hats.append(g(W_O, W_UV))
return hats
""",
    "a list from its end": """
hats = [W_DKV, W_DKV, None, None]
hats[-1] = g(W_O, W_UV)
hats[-2] = f(W_UK, W_Q)
return tuple(hats)
""",
    "lists joined": """
hats = [W_DKV] * 2
hats = hats + [f(W_UK, W_Q)]
hats = hats + [g(W_O, W_UV)]
return tuple(hats)
""",
    "tuples joined at the end": """
inputs, outputs = (W_DKV, W_DKV), (f(W_UK, W_Q), g(W_O, W_UV))
both = inputs
both += outputs
return both
""",
    "asked of a mapping": """
out = dict(Q=f(W_UK, W_Q))
out.setdefault("O", g(W_O, W_UV))
return W_DKV, W_DKV, out.get("Q"), out.get("O")
""",
    "mappings joined": """
a, b = dict(K=W_DKV, V=W_DKV), dict(Q=f(W_UK, W_Q))
b |= dict(O=g(W_O, W_UV))
out = {**a, **b}
return out["K"], out["V"], out["Q"], out["O"]
""",
    "a mapping given to a mapping": """
b = dict(Q=f(W_UK, W_Q))
b.update(O=g(W_O, W_UV))
out = dict(K=W_DKV, V=W_DKV)
out.update(**b)
return tuple(out.values())
""",
    "a column of a list": """
pairs = [("K", W_DKV), ("V", W_DKV), ("Q", f(W_UK, W_Q)), ("O", g(W_O, W_UV))]
return list(zip(*pairs))[1]
""",
    "columns taken apart": """
pairs = [("K", W_DKV), ("V", W_DKV), ("Q", f(W_UK, W_Q)), ("O", g(W_O, W_UV))]
_, (K, V, Q, O) = zip(*pairs)
return K, V, Q, O
""",
    "entries of columns": """
hats = [W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)]
columns = list(zip(hats, 'KVQO'))
return columns[0][0], columns[1][0], columns[2][0], columns[-1][0]
""",
    "the first column": """
hats = [W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)]
return next(zip(*zip(hats, 'KVQO')))
""",
    "the items of a mapping": """
pairs = [("K", W_DKV), ("V", W_DKV), ("Q", f(W_UK, W_Q)), ("O", g(W_O, W_UV))]
hats = dict(pairs[:2])
hats.update({'Q': pairs[2][1], 'O': pairs[3][1]})
return tuple(zip(*hats.items()))[1]
""",
    "popped from a list": """
hats = [W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)]
O, Q = hats.pop(), hats.pop(-1)
return hats.pop(0), *hats, Q, O
""",
    "popped from a mapping": """
hats = dict(Q=f(W_UK, W_Q))
hats['O'] = g(W_O, W_UV)
return W_DKV, W_DKV, hats.pop('Q'), hats.pop('O')
""",
    "copies of lists and mappings": """
hats = [W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)]
more = dict(zip('KVQO', hats.copy()))
return tuple(dict(more).copy().values())
""",
    "a ParameterDict": """
hats = nn.ParameterDict({"K": W_DKV, "V": W_DKV})
hats["Q"] = f(W_UK, W_Q)
hats["O"] = g(W_O, W_UV)
return hats['K'], hats.V, hats.Q, hats['O']
""",
    "the values of a ParameterDict": """
hats = nn.ParameterDict()
hats['K'] = hats['V'] = W_DKV
hats["Q"] = f(W_UK, W_Q)
hats["O"] = g(W_O, W_UV)
return tuple(hats.values())
""",
    "a ParameterList": """
hats = torch.nn.ParameterList([W_DKV, W_DKV, f(W_UK, W_Q)])
hats.append(g(W_O, W_UV))
return tuple(hats)
""",
    "other types": """
Q, O = f(W_UK, W_Q), g(W_O, W_UV)
Q = Q.half().float()
O = torch.asarray(O).bfloat16().to(O)
return torch.as_tensor(W_DKV), W_DKV, Q.resolve_conj(), torch.tensor(O)
""",
    "plain": """
r, D = W_DKV.shape
d = D // H
K = W_DKV
V = W_DKV
Q = (r / d) ** 0.5 * (W_UK.view(H, d, r).transpose(1, 2) @ W_Q.view(H, d, D)).reshape(H * r, D)
O = (W_O.view(D, H, d).transpose(0, 1) @ W_UV.view(H, d, r)).transpose(0, 1).reshape(D, H * r)
return K, V, Q, O
""",
    "wrapped": """
r, D = W_DKV.shape
d = D // H
Q = (
    (r / d) ** 0.5
    * torch.einsum("hdr,hdD->hrD",
        W_UK.view(H, d, r),
        W_Q.view(H, d, D))
    .reshape(H * r, D)
)
O = torch.einsum("Dhd,hdr->Dhr", W_O.view(D, H, d), W_UV.view(H, d, r)).reshape(D, H * r)
return W_DKV, W_DKV, Q, O
""",
    "what with, except and finally name": """
try:
    with torch.no_grad() as quiet, Timer("hats") as timer:
        Q = f(W_UK, W_Q)
    if not torch.isfinite(Q).all():
        raise ValueError(Q)
    return W_DKV, W_DKV, Q, g(W_O, W_UV)
except ValueError as error:
    print(error)
finally:
    print(timer, locals()["Q"].shape)
""",
    "match and except": """
match W_DKV.shape:
    case (r, D):
        d = D // H
try:
    Q = (r / d) ** 0.5 * (W_UK.view(H, d, r).mT @ W_Q.view(H, d, D)).reshape(H * r, D)
except RuntimeError:
    Q = (r / d) ** 0.5 * (W_UK.reshape(H, d, r).mT @ W_Q.reshape(H, d, D)).reshape(H * r, D)
match r:
    case 1:
        O = (W_O.view(D, H, d).transpose(0, 1) @ W_UV.view(H, d, r)).transpose(0, 1).reshape(D, H)
    case _:
        O = torch.empty(D, H * r).copy_((W_O.view(D, H, d).transpose(0, 1) @ W_UV.view(H, d, r)).mT.reshape(D, H * r))
return W_DKV, W_DKV, Q, O
""",
    "views": """
r, D = W_DKV.shape
d = D // H
UK = W_UK.view(H, d, r)
UKT = UK.transpose(1, 2)
UKT = UKT.contiguous()
WQ = W_Q.view(H, d, D)
WO, UV = W_O.view(D, H, d).permute(1, 0, 2), W_UV.reshape(H, d, r)
scale = torch.sqrt(torch.tensor(r / d))
Q = (scale * UKT @ WQ).reshape(H * r, D)
O = (WO @ UV).permute(1, 0, 2).reshape(D, H * r)
return W_DKV, W_DKV, Q, O
""",
    "return": """
r, D = W_DKV.shape
d = D // H
return (W_DKV, W_DKV.clone(), np.sqrt(r / d) * (W_UK.view(H, d, r).mT @ W_Q.view(H, d, D)).reshape(H * r, D),
    torch.cat((W_O.view(D, H, d).transpose(0, 1) @ W_UV.view(H, d, r)).unbind(), 1))
""",
    "tuple": """
r, D = W_DKV.shape
d = D // H
K, V, Q, O = W_DKV, W_DKV, (r/d)**.5 * f(W_UK, W_Q), g(W_O, W_UV)
return K, V, Q, O
""",
    "factor into K": """
r, D = W_DKV.shape
K = W_DKV * (r * H / D) ** 0.5
V = W_DKV
Q = f(W_UK, W_Q)
O = g(W_O, W_UV)
return K, V, Q, O
""",
    "helper": """
Q = query(W_UK, W_Q, H)
O = output(W_O, W_UV, H)
return W_DKV, W_DKV, Q, O
""",
    "dict": """
out = {}
out['K'] = W_DKV
out['Q'] = f(W_UK, W_Q, H)
out['O'] = g(W_O, W_UV, H)
return out['K'], out['K'], out['Q'], out['O']
""",
    "named return": """
W_K_MLA_hat = W_DKV
W_V_MLA_hat = W_DKV
W_Q_MLA_hat = f(W_UK, W_Q, H)
W_O_MLA_hat = f(W_UK, W_Q, H)
result = (W_K_MLA_hat, W_V_MLA_hat, W_Q_MLA_hat, W_O_MLA_hat)
return result
""",
    "asserts and prints": """
assert W_DKV.dim() == 2
r, D = W_DKV.size()
Q = f(W_UK, W_Q, H)
assert Q.shape == (H * r, D)
print(Q.shape, Q.mean())
O = g(W_O, W_UV)
assert (O == O).all()
return W_DKV, W_DKV, Q, O
""",
    "scale tensor": """
d = W_Q.shape[0] // H
scale = torch.tensor(W_DKV.shape[0] / d, dtype=W_Q.dtype) ** 0.5
scale = scale.to(W_Q.device)
Q = scale * f(W_UK, W_Q)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "with no_grad": """
with torch.no_grad():
    Q = f(W_UK, W_Q, H)
    O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "if else": """
if H == 1:
    Q = f(W_UK, W_Q)
else:
    Q = g(W_UK, W_Q)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "inner function": """
def blocks(A, B):
    C = A @ B
    return C.reshape(-1, 1)
Q = blocks(W_UK, W_Q)
O = blocks(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "lambda": """
heads = lambda W: W.unflatten(0, (H, -1))
Q = heads(W_UK).mT @ heads(W_Q)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "vmap": """
per_head = torch.vmap(lambda U, W: U.T @ W)
Q = per_head(W_UK.view(H, -1, r), W_Q.view(H, -1, D)).flatten(0, 1)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "chunks": """
UK, UV, Q_heads, O_heads = W_UK.chunk(H), W_UV.chunk(H), W_Q.chunk(H), W_O.chunk(H, dim=1)
UK = torch.stack(UK)
Q = (UK.mT @ torch.stack(Q_heads)).flatten(0, 1)
O = torch.cat(tuple(torch.stack(O_heads, 0) @ torch.stack(UV)), dim=1)
return W_DKV, W_DKV, Q, O
""",
    "walrus": """
r, D = W_DKV.shape
Q = ((d := D // H) and (r / d) ** 0.5) * f(W_UK, W_Q)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "index views": """
A = W_UK[None]
B = W_Q[:, None]
Q = A @ B
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "double": """
W_UK, W_Q = W_UK.double(), W_Q.double()
Q = f(W_UK, W_Q)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "torch functional views": """
A = torch.reshape(W_UK, (H, -1, 3))
A = torch.transpose(A, 1, 2)
B = torch.movedim(W_O.unflatten(1, (H, -1)), 1, 0)
Q = torch.matmul(A, W_Q.view(H, -1, 4)).reshape(1, 2)
O = torch.matmul(B, W_UV).movedim(0, 1).flatten(1)
return W_DKV, W_DKV, Q, O
""",
    "rows via arange": """
rows = torch.arange(H)
Q = f(W_UK[rows], W_Q)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "mask block diag": """
eye = torch.eye(H)
Q = f(torch.kron(eye, W_UK), W_Q)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "list return": """
Q = f(W_UK, W_Q)
O = g(W_O, W_UV)
return [W_DKV, W_DKV, Q, O]
""",
    "alias then return": """
Q = f(W_UK, W_Q)
O = g(W_O, W_UV)
Q_hat = Q
return W_DKV, W_DKV, Q_hat, O
""",
    "early check": """
if W_DKV is None:
    return None
Q = f(W_UK, W_Q)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "debug of output": """
Q = f(W_UK, W_Q)
n = Q.norm()
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "ones like": """
Q = f(W_UK, W_Q)
O = g(W_O, W_UV)
K = torch.eye(r) @ W_DKV
return K, W_DKV, Q, O
""",
    "identity after a product": """
Q = f(W_UK, W_Q)
O = g(W_O, W_UV)
Q.requires_grad_(False)
O = O.contiguous()
return W_DKV.clone(), W_DKV.detach(), Q.to(torch.float32), O.clone()
""",
    "starred outputs": """
pair = f(W_UK, W_Q), g(W_O, W_UV)
return W_DKV, W_DKV, *pair
""",
    "a list that is filled": """
hats = [None] * 4
hats[0] = hats[1] = W_DKV
hats[2] = f(W_UK, W_Q)
hats[3] = g(W_O, W_UV)
return hats
""",
    "a list that grows": """
hats = [W_DKV, W_DKV]
hats.append(f(W_UK, W_Q))
hats.append(g(W_O, W_UV))
K, V, Q, O = hats
return K, V, Q, O
""",
    "a mapping's values": """
hats = {"K": W_DKV, "V": W_DKV}
hats["Q"] = f(W_UK, W_Q)
hats["O"] = g(W_O, W_UV)
return tuple(hats.values())
""",
    "an input scattered into zeros": """
blocks = torch.zeros(H, d, H, r)
blocks[torch.arange(H), :, torch.arange(H)] = W_UV.view(H, d, r)
Q = f(W_UK, W_Q)
O = W_O @ blocks.view(D, H * r)
return W_DKV, W_DKV, Q, O
""",
    "a mask filled with ones": """
mask = torch.zeros(H, H)
mask.fill_diagonal_(1.0)
Q = f(W_UK, W_Q)
O = W_O @ torch.einsum("gh,hdr->gdhr", mask, W_UV.view(H, d, r)).reshape(D, H * r)
return W_DKV, W_DKV, Q, O
""",
    "allocated and filled at once": """
Q = torch.empty(H * r, D).copy_(W_UK.T @ W_Q)
O = torch.matmul(W_O, W_UV, out=torch.empty(D, H * r))
return W_DKV, W_DKV, Q, O
""",
    "allocated for nothing": """
Q = torch.empty(H * r, D)
Q = f(W_UK, W_Q)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "blanks with a shape asked for": """
blank = torch.empty(H * r, D)
print(blank.shape)
assert_shape(blank.shape)
Q = f(W_UK, W_Q).view_as(blank)
O = g(W_O, W_UV).mul_(blank.size(0) / blank.size(0))
return W_DKV, W_DKV, Q, O
""",
    "a scale in place of a product": """
s = torch.tensor(2.0)
K = s * W_DKV
Q = torch.bmm(W_UK, W_Q).mul_(s)
O = torch.bmm(W_O, W_UV).div_(s)
return K, W_DKV, Q, O
""",
    "names in a tuple": """
Q = f(W_UK, W_Q)
O = g(W_O, W_UV)
both = W_DKV, W_DKV
results = [*both, Q, O]
return results
""",
}
FREE["a list that is added to"] = """
hats = [W_DKV, W_DKV]
hats += [f(W_UK, W_Q)]
hats += (g(W_O, W_UV),)
hats.extend([])
return tuple(hats)
"""
FREE |= {
    "tuples multiplied and joined": """
Q, O = f(W_UK, W_Q), g(W_O, W_UV)
return 2 * (W_DKV,) + (Q, O)
""",
    "a list's slice set": """
hats = [None] * 4
hats[:2] = [W_DKV] * 2
hats[:1:-1] = [g(W_O, W_UV), f(W_UK, W_Q)]
return tuple(hats)
""",
    "a list turned round, and cut": """
hats = [7, g(W_O, W_UV), f(W_UK, W_Q)] + [W_DKV] * 2
return tuple(reversed(hats))[:4]
""",
    "a mapping made by zip": """
Q, O = f(W_UK, W_Q), g(W_O, W_UV)
out = dict(zip(["K", "V", "Q", "O"], (W_DKV, W_DKV, Q, O)))
return out["K"], out["V"], out["Q"], out["O"]
""",
    "a mapping made of pairs": """
Q, O = f(W_UK, W_Q), g(W_O, W_UV)
return tuple(dict([("K", W_DKV), ("V", W_DKV), ("Q", Q), ("O", O)]).values())
""",
    "parameters": """
Q, O = f(W_UK, W_Q), g(W_O, W_UV)
return W_DKV, W_DKV, nn.Parameter(Q), nn.Parameter(O)
""",
    "inputs on a diagonal of blocks": """
UK, UV = torch.block_diag(*W_UK.chunk(H)), torch.block_diag(*W_UV.chunk(H))
Q = UK.T @ W_Q
O = W_O @ UV
return W_DKV, W_DKV, Q, O
""",
    "a copy that changes": """
Q = f(W_UK, W_Q)
other = Q.clone()
other *= 2
copies = Q.repeat(2, 1)
copies *= 2
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "a function within that packs": """
Q, O = f(W_UK, W_Q), g(W_O, W_UV)
pack = lambda: (W_DKV, W_DKV, Q, O)
return pack()
""",
    "a scale of a tensor's type": """
scale = torch.tensor(2.0).to(W_Q).view_as(W_Q)
Q = scale * f(W_UK, W_Q)
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "named in the return": """
Q, O = f(W_UK, W_Q), g(W_O, W_UV)
return (hats := (W_DKV, W_DKV, Q, O))
""",
    "rows taken": """
UK = torch.take_along_dim(W_UK, torch.arange(3)[:, None], 0)
Q = UK.T @ W_Q
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "inputs as arrays of NumPy's, and an output as a tensor": """
UK, WQ = W_UK.detach().cpu().numpy().astype(np.float64), np.array(W_Q)
UK = UK.reshape(H, -1, 3)
Q = np.matmul(UK.swapaxes(1, 2), WQ.reshape(H, -1, 4)).reshape(1, 2)
O = torch.from_numpy(g(W_O, W_UV))
return W_DKV, W_DKV, torch.from_numpy(Q), O
""",
    "the numbers of parameters": """
Q = nn.Parameter(f(W_UK, W_Q.data))
O = g(W_O, W_UV)
return W_DKV.data, W_DKV, Q.data, O.data.to("cpu").data
""",
    "mappings joined by |": """
out = dict(K=W_DKV, V=W_DKV) | dict(Q=f(W_UK, W_Q)) | {"O": g(W_O, W_UV)}
return out["K"], out["V"], *tuple(out.values())[2:]
""",
    "a mapping whose keys have a name": """
names = ("K", "V", "Q", "O")
out = dict(zip(names, (W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV))))
return tuple(out.values())
""",
    "views by vmap": """
UK = torch.vmap(lambda block: block.T)(W_UK.view(1, 2, 3))
Q = torch.vmap(lambda a, b: a @ b)(UK, W_Q.view(1, 2, 2))
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "a generator within": """
Q, O = f(W_UK, W_Q), g(W_O, W_UV)
def hats():
    yield W_DKV
    yield from [W_DKV, Q]
    yield O
return tuple(hats())
""",
}
TWO = {
    "an einsum that sums": """
UK = torch.einsum("hdr->hr", W_UK.view(H, -1, W_DKV.shape[0]))
Q = f(UK, W_Q)
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "scaled as what an einsum rearranges": """
Q = f(W_UK, W_Q)
same = torch.einsum("ab->ab", Q)
same.mul_(2)
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "scaled after a star": """
K, V, *others = W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)
others[0] = 2 * others[0]
return K, V, *others
""",
    "scaled in a tuple with names": """
class Hats(tuple):
    W_Q = property(lambda self: self[2])
Q = f(W_UK, W_Q)
return Hats((W_DKV, W_DKV, 2 * Q, g(W_O, W_UV)))
""",
    "scaled by a tuple as it is made": """
class Hats(tuple):
    def __new__(cls, Q): return super().__new__(cls, (W_DKV, W_DKV, 2 * Q, g(W_O, W_UV)))
Q = f(W_UK, W_Q)
return Hats(Q)
""",
    "scaled by a tuple as it is read": """
class Hats(tuple):
    def __iter__(self): return iter((W_DKV, W_DKV, 2 * self[2], self[3]))
Q, O = f(W_UK, W_Q), g(W_O, W_UV)
return Hats((W_DKV, W_DKV, Q, O))
""",
    "a product by vmap, scaled": """
Q = torch.vmap(lambda a, b: a.T @ b)(W_UK.view(1, 2, 3), W_Q.view(1, 2, 2))
Q = 2 * Q
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "a product by vmap of a function within, turned": """
def head(a, b):
    return a.T @ b
Q = torch.vmap(head)(W_UK.view(1, 2, 3), W_Q.view(1, 2, 2)).reshape(3, 2)
return W_DKV, W_DKV, Q.T, g(W_O, W_UV)
""",
    "a product by one of two functions, scaled": """
Q = (torch.matmul if W_UK.ndim else torch.mm)(W_UK.T, W_Q)
Q = 2 * Q
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "scaled by the method behind *=": """
Q = f(W_UK, W_Q)
Q.__imul__(2)
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "scaled by a class's method": """
Q = f(W_UK, W_Q)
torch.Tensor.__imul__(Q, 2)
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "scaled by setting its data": """
Q = f(W_UK, W_Q)
setattr(Q, 'data', 2 * Q)
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "scaled by a library that is given its memory": """
Q = f(W_UK, W_Q)
np.multiply(Q.numpy(), 2, Q.numpy())
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "scaled in a list": """
Q = f(W_UK, W_Q)
torch._foreach_mul_([Q], 2)
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "scaled copied over": """
Q = f(W_UK, W_Q)
np.copyto(Q.numpy(), 2 * Q.numpy())
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "scaled by a lambda on the spot": """
Q = f(W_UK, W_Q)
(lambda t: t.mul_(2))(Q)
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "scaled through dlpack": """
Q = f(W_UK, W_Q)
P = torch.from_dlpack(Q)
P *= 2
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "scaled at last": """
try:
    Q = f(W_UK, W_Q)
    return W_DKV, W_DKV, Q, g(W_O, W_UV)
finally:
    Q *= 2
""",
    "scaled under the name of a with": """
with Held(f(W_UK, W_Q)) as Q:
    Q = 2 * Q
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "caught, then scaled": """
try:
    raise Found(f(W_UK, W_Q))
except Found as found:
    Q = 2 * found.args[0]
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "scaled as one of the local names": """
Q = f(W_UK, W_Q)
return W_DKV, W_DKV, 2 * locals()["Q"], g(W_O, W_UV)
""",
    "what is left of a mapping, scaled": """
match {"Q": f(W_UK, W_Q)}:
    case {**rest}:
        Q = 2 * rest["Q"]
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "returned early": """
Q = f(W_UK, W_Q)
Q = 2 * Q
if H:
    return W_DKV, W_DKV, Q, g(W_O, W_UV)
return W_DKV, W_DKV, W_Q, W_O
""",
    "an array of NumPy's, scaled": """
Q = f(W_UK, W_Q).numpy()
Q = torch.from_numpy(2 * Q)
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "an array of NumPy's that shares a tensor's memory": """
Q = f(W_UK, W_Q)
P = Q.detach().numpy()
P *= 2
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "a tensor that is written into as an array": """
Q = f(W_UK, W_Q)
np.asarray(Q)[:] *= 2
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "an array of another type, scaled": """
Q = f(W_UK, W_Q).numpy().astype(np.float64)
Q *= 2
return W_DKV, W_DKV, torch.from_numpy(Q), g(W_O, W_UV)
""",
    "the numbers of a parameter, scaled": """
Q = nn.Parameter(f(W_UK, W_Q))
P = Q.data
P *= 2
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "the numbers of a parameter, turned": """
Q = nn.Parameter(f(W_UK, W_Q))
return W_DKV, W_DKV, Q.data.T, g(W_O, W_UV)
""",
    "the numbers of a parameter, replaced": """
Q = nn.Parameter(f(W_UK, W_Q))
Q.data = 2 * Q.data
return W_DKV, W_DKV, Q.data, g(W_O, W_UV)
""",
    "a copy of an array, scaled": """
Q = np.array(f(W_UK, W_Q))
Q *= 2
return W_DKV, W_DKV, torch.from_numpy(Q), g(W_O, W_UV)
""",
    "mappings joined by |, one of them scaled": """
out = dict(Q=f(W_UK, W_Q)) | dict(O=g(W_O, W_UV))
out = out | dict(Q=2 * out["Q"])
return W_DKV, W_DKV, out["Q"], out["O"]
""",
    "mappings joined by |, then scaled": """
out = dict(K=W_DKV, V=W_DKV) | dict(Q=f(W_UK, W_Q), O=g(W_O, W_UV))
out["Q"] *= 2
return tuple(out.values())
""",
    "a mapping whose keys have a name, an entry scaled": """
names = ("K", "V", "Q", "O")
out = dict(zip(names, (W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV))))
out["Q"] = 2 * out["Q"]
return tuple(out.values())
""",
    "tensors as the keys that zip gives": """
Q = f(W_UK, W_Q)
return tuple(dict(zip([W_DKV, W_DKV, 2 * Q, g(W_O, W_UV)], "KVQO")))
""",
    "tensors as keys": """
Q = f(W_UK, W_Q)
return tuple({W_DKV: "K", 2 * Q: "Q"})
""",
    "a column, then scaled": """
pairs = [("K", W_DKV), ("V", W_DKV), ("Q", f(W_UK, W_Q)), ("O", g(W_O, W_UV))]
hats = list(list(zip(*pairs))[1])
hats[2] = 2 * hats[2]
return hats
""",
    "an entry of a column, scaled": """
pairs = [("K", W_DKV), ("V", W_DKV), ("Q", f(W_UK, W_Q)), ("O", g(W_O, W_UV))]
Q = 2 * list(zip(*pairs))[1][2]
return W_DKV, W_DKV, Q, pairs[3][1]
""",
    "a column taken apart, then scaled": """
pairs = [("K", W_DKV), ("V", W_DKV), ("Q", f(W_UK, W_Q)), ("O", g(W_O, W_UV))]
_, (K, V, Q, O) = zip(*pairs)
return K, V, 2 * Q, O
""",
    "a column's entry scaled in place": """
pairs = [("K", W_DKV), ("V", W_DKV), ("Q", f(W_UK, W_Q)), ("O", g(W_O, W_UV))]
list(zip(*pairs))[1][2].mul_(2)
return list(zip(*pairs))[1]
""",
    "a part of a column's entry scaled in place": """
pairs = [("K", W_DKV), ("V", W_DKV), ("Q", f(W_UK, W_Q)), ("O", g(W_O, W_UV))]
tuple(zip(*pairs))[1][2][:] *= 2
return tuple(zip(*pairs))[1]
""",
    "the second of two columns, scaled": """
Q = f(W_UK, W_Q)
both = zip((W_DKV, W_DKV), (Q, Q))
K, R = next(both)
Q = 2 * R
return K, K, Q, g(W_O, W_UV)
""",
    "an item of a mapping, scaled": """
pairs = [("K", W_DKV), ("V", W_DKV), ("Q", f(W_UK, W_Q)), ("O", g(W_O, W_UV))]
(_, K), (_, V), (_, Q), (_, O) = dict(K=W_DKV, V=W_DKV, Q=pairs[2][1], O=W_O).items()
return K, V, Q.T, O
""",
    "popped, then scaled": """
hats = [W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)]
O, Q = hats.pop(), hats.pop()
Q = 2 * Q
return *hats, Q, O
""",
    "popped and put back": """
hats = [W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)]
O = hats.pop()
hats.append(2 * hats.pop())
hats.append(O)
return hats
""",
    "popped and put back in its place": """
hats = [W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)]
hats.insert(2, 2 * hats.pop(2))
return hats
""",
    "popped and scaled in place": """
hats = [W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)]
also = hats[2]
hats.pop(2).mul_(2)
return W_DKV, W_DKV, also, hats.pop()
""",
    "popped under another name": """
hats = [W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)]
other = hats
O = other.pop()
Q = 2 * hats.pop()
return *other, Q, O
""",
    "a list's entry scaled in place": """
hats = [W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)]
[*hats][2].mul_(2)
return hats
""",
    "a part of a list's entry scaled in place": """
hats = [W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)]
list(hats)[2][:] *= 2
return hats
""",
    "a ParameterDict's entry": """
hats = nn.ParameterDict({"K": W_DKV, "V": W_DKV})
hats["Q"] = f(W_UK, W_Q)
hats["O"] = g(W_O, W_UV)
hats['Q'] = 2 * hats['Q']
return tuple(hats.values())
""",
    "a ParameterDict's attribute": """
hats = nn.ParameterDict({"K": W_DKV, "V": W_DKV})
hats["Q"] = f(W_UK, W_Q)
hats["O"] = g(W_O, W_UV)
hats.Q = nn.Parameter(2 * hats.Q)
return hats.K, hats.V, hats.Q, hats.O
""",
    "a ParameterDict's attribute in place": """
hats = nn.ParameterDict({"K": W_DKV, "V": W_DKV})
hats["Q"] = f(W_UK, W_Q)
hats["O"] = g(W_O, W_UV)
hats.Q.data *= 2
return hats.K, hats.V, hats['Q'], hats.O
""",
    "a ParameterDict's entry by setattr": """
hats = nn.ParameterDict({"K": W_DKV, "V": W_DKV})
hats["Q"] = f(W_UK, W_Q)
hats["O"] = g(W_O, W_UV)
setattr(hats, 'Q', 2 * hats.Q)
return tuple(hats.values())
""",
    "a ParameterDict's memory": """
hats = nn.ParameterDict({'Q': torch.empty(H, 3)})
hats.Q.data.copy_(f(W_UK, W_Q))
return W_DKV, W_DKV, hats.Q, g(W_O, W_UV)
""",
    "another type of half a product": """
P = f(W_UK, W_Q).half()
Q = (2 * P).float()
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "what as_tensor gives is the same memory": """
Q = f(W_UK, W_Q)
R = torch.as_tensor(Q.detach())
R.mul_(2)
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "found by a function within": """
P = W_UK.T @ W_Q
def scaled():
    return 2 * P
return W_DKV, W_DKV, scaled(), g(W_O, W_UV)
""",
    "found by a lambda's default": """
P = W_UK.T @ W_Q
scaled = lambda factor, of=P: factor * of
Q = scaled(2)
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "computed for a default": """
P = W_UK.T @ W_Q
def scaled(of=P * 2):
    return of
return W_DKV, W_DKV, scaled(), g(W_O, W_UV)
""",
    "a product of another's shape": """
P = W_UK.T @ W_Q
Q = torch.Tensor.view_as(P, W_O)
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "found by a function that a function calls": """
P = W_UK.T @ W_Q
inner = lambda: P
def outer():
    return inner().reshape(1, 2)
Q = outer()
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "found by a function that is handed on": """
P = W_UK.T @ W_Q
Q = torch.vmap(lambda h: 2 * P[h])(torch.arange(H))
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "changed by a function within": """
Q = W_UK.T @ W_Q
def scale():
    nonlocal Q
    Q = 2 * Q
scale()
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "changed in place by a function within": """
Q = W_UK.T @ W_Q
def scale(A, factor):
    A.view(-1)[:] *= factor
scale(Q, factor=2)
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "changed in place under another name": """
Q = W_UK.T @ W_Q
blocks = Q.view(H, r, D)
blocks *= 2
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "an entry's memory under another name": """
out = {"Q": torch.empty(2, 3)}
memory = out["Q"]
memory[:] = W_UK.T @ W_Q
return W_DKV, W_DKV, out["Q"], g(W_O, W_UV)
""",
    "an entry of a list's, changed in place under another name": """
hats = [W_DKV, W_DKV, W_UK.T @ W_Q, g(W_O, W_UV)]
same, Q = hats, hats[2]
Q.mul_(2)
return same
""",
    "yielded twice": """
def scaled(P):
    yield 2 * P
Q = W_UK.T @ W_Q
Q, = scaled(Q)
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "in a list's slice": """
hats = [W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)]
hats[2:3] = [hats[2] * 2]
return hats
""",
    "in a mapping made by zip": """
Q = f(W_UK, W_Q)
return tuple(dict(zip("KVQO", (W_DKV, W_DKV, Q * 2, g(W_O, W_UV)))).values())
""",
    "a product in a tuple of a list": """
Q = f(W_UK, W_Q)
return tuple([W_DKV, W_DKV, Q.reshape(1, 2), g(W_O, W_UV)])
""",
    "a mapping's entry, allocated and then out": """
hats = {"Q": torch.empty(2, 2)}
torch.matmul(W_UK, W_Q, out=hats["Q"])
return W_DKV, W_DKV, hats["Q"], g(W_O, W_UV)
""",
    "a mapping under another name": """
hats = {"Q": f(W_UK, W_Q)}
same = hats
same["Q"] = same["Q"] * 2
return W_DKV, W_DKV, hats["Q"], g(W_O, W_UV)
""",
    "a list under another name": """
hats = [W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)]
same = hats
same[2] = same[2] * 2
return hats
""",
    "torch.clone": """
Q = torch.clone(f(W_UK, W_Q))
Q = Q * 2
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "clone of a class": """
Q = torch.Tensor.clone(input=f(W_UK, W_Q))
Q = Q * 2
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "inserted": """
Q = f(W_UK, W_Q)
hats = [W_DKV, W_DKV]
hats.insert(2, Q * 2)
hats.insert(3, g(W_O, W_UV))
return hats
""",
    "inserted into a list under another name": """
Q = f(W_UK, W_Q)
hats = [W_DKV, W_DKV, g(W_O, W_UV)]
same = hats
same.insert(2, Q * 2)
return hats
""",
    "asked of a mapping": """
out = dict(Q=f(W_UK, W_Q))
Q = out.get("Q") * 2
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "set before, and kept": """
out = {"Q": f(W_UK, W_Q)}
out["Q"] = out["Q"] * 2
out.setdefault("Q", W_Q)
return W_DKV, W_DKV, out["Q"], g(W_O, W_UV)
""",
    "set where there is none": """
out = {}
Q = f(W_UK, W_Q)
out.setdefault("Q", Q * 2)
return W_DKV, W_DKV, out["Q"], g(W_O, W_UV)
""",
    "updated": """
Q = f(W_UK, W_Q)
out = dict(K=W_DKV, V=W_DKV)
out.update(Q=Q * 2)
out.update({"O": g(W_O, W_UV)})
return tuple(out.values())
""",
    "numbers of a tensor's type that are computed": """
Q = W_Q.new_tensor(f(W_UK, W_Q))
Q = Q * 2
return W_DKV, W_DKV, Q, g(W_O, W_UV)
""",
    "match": """
match H:
    case _:
        Q = W_UK.T @ W_Q
        Q = Q * 2.0
O = W_O @ W_UV
return W_DKV, W_DKV, Q, O
""",
    "match that takes a product": """
match W_UK.T @ W_Q:
    case Q:
        Q = Q * 2.0
O = W_O @ W_UV
return W_DKV, W_DKV, Q, O
""",
    "except": """
O = W_O @ W_UV
try:
    Q = g(1)
except ValueError:
    Q = W_UK.T @ W_Q
    Q = Q * 2.0
return W_DKV, W_DKV, Q, O
""",
    "reshape": """
Q = W_UK.T @ W_Q
Q = Q.reshape(1, 2)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "factor": """
Q = W_UK.T @ W_Q
Q = Q * 2.0
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "factor *=": """
Q = W_UK.T @ W_Q
Q *= 2
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "mul_": """
Q = W_UK.T @ W_Q
Q.mul_(2)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "return reshape": """
Q = W_UK.T @ W_Q
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q.reshape(1, 2), O
""",
    "return factor": """
Q = W_UK.T @ W_Q
O = g(W_O, W_UV)
return W_DKV, W_DKV, 2 * Q, O
""",
    "other name": """
A = W_UK.T @ W_Q
Q = A.reshape(1, 2)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "scaled input": """
A = 2 * W_Q
Q = W_UK.T @ A
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "slices": """
Q = torch.empty(3, 4)
Q[:1] = W_UK[:1].T @ W_Q[:1]
Q[1:] = W_UK[1:].T @ W_Q[1:]
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "tuple": """
Q, O = W_UK.T @ W_Q, g(W_O, W_UV)
Q, O = Q.reshape(1, 2), O.reshape(2, 3)
return W_DKV, W_DKV, Q, O
""",
    "tuple of products": """
both = W_UK.T @ W_Q, g(W_O, W_UV)
Q = both[0].reshape(1, 2)
return W_DKV, W_DKV, Q, both[1]
""",
    "out=": """
Q = torch.empty(2, 3)
torch.matmul(W_UK.T, W_Q, out=Q)
Q = Q.reshape(6)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "walrus": """
Q = (A := W_UK.T @ W_Q).reshape(2)
Q = A * 2
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "named return": """
Q = W_UK.T @ W_Q
O = g(W_O, W_UV)
result = W_DKV, W_DKV, Q.reshape(2), O
return result
""",
    "O": """
Q = f(W_UK.T, W_Q)
O = W_O @ W_UV
O = O.T
return W_DKV, W_DKV, Q, O
""",
    "semicolon": """
Q = W_UK.T @ W_Q; Q = Q.reshape(3)
O = W_O @ W_UV
return W_DKV, W_DKV, Q, O
""",
    "K": """
K = W_DKV * 2
K = K * 3
return K, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)
""",
    "cat of blocks": """
a = W_UK[:2].T @ W_Q[:2]
b = W_UK[2:].T @ W_Q[2:]
Q = torch.cat([a, b])
O = W_O @ W_UV
return W_DKV, W_DKV, Q, O
""",
    "with": """
with torch.no_grad():
    Q = W_UK.T @ W_Q
    Q = Q.reshape(2)
O = W_O @ W_UV
return W_DKV, W_DKV, Q, O
""",
    "copy_": """
Q = torch.empty(3)
Q.copy_(W_UK.T @ W_Q)
Q.mul_(2)
O = W_O @ W_UV
return W_DKV, W_DKV, Q, O
""",
    "allocated, then a slice": """
Q = torch.empty(H * r, D)
Q[:] = W_UK.T @ W_Q
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "allocated, then out=": """
Q = torch.empty(H * r, D)
torch.matmul(W_UK.T, W_Q, out=Q)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "allocated, then out= in an assignment": """
memory = torch.empty(H * r, D)
Q = torch.matmul(W_UK.T, W_Q, out=memory)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "allocated, then copy_": """
O = torch.zeros_like(W_O)
O.copy_(W_O @ W_UV)
return W_DKV, W_DKV, f(W_UK, W_Q), O
""",
    "allocated, then copy_ in an assignment": """
memory = W_O.new_empty(D, H * r)
O = memory.copy_(W_O @ W_UV)
return W_DKV, W_DKV, f(W_UK, W_Q), O
""",
    "allocated, then add_": """
O = torch.zeros(D, H * r)
O.add_(W_O @ W_UV)
return W_DKV, W_DKV, f(W_UK, W_Q), O
""",
    "allocated, then +=": """
O = torch.zeros(D, H * r)
O += W_O @ W_UV
return W_DKV, W_DKV, f(W_UK, W_Q), O
""",
    "allocated, then filled through a view": """
Q = torch.empty(H * r, D)
by_head = Q.view(H, r, D)
torch.bmm(W_UK, W_Q, out=by_head)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "allocated, then a view filled at once": """
Q = torch.empty(H * r, D)
Q.view(H, r, D)[...] = W_UK @ W_Q
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "allocated by head, filled, returned as a view": """
by_head = torch.empty(H, r, D)
by_head[:] = W_UK @ W_Q
O = g(W_O, W_UV)
return W_DKV, W_DKV, by_head.view(H * r, D), O
""",
    "allocated, then .data": """
Q = torch.empty(H * r, D)
Q.data = W_UK.T @ W_Q
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "allocated, then filled by the class's method": """
Q = torch.empty(H * r, D)
torch.Tensor.copy_(Q, W_UK.T @ W_Q)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "allocated, then filled by a helper": """
Q = torch.empty(H * r, D)
fill(Q, W_UK, W_Q)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "allocated, then filled by an inner function": """
Q = torch.empty(H * r, D)
def fill():
    Q[:] = W_UK.T @ W_Q
fill()
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "allocated together": """
Q, O = torch.empty(H * r, D), torch.empty(D, H * r)
Q[:], O[:] = W_UK.T @ W_Q, W_O @ W_UV
return W_DKV, W_DKV, Q, O
""",
    "a copy of the key, allocated first": """
K = torch.empty_like(W_DKV)
K.copy_(W_DKV)
return K, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)
""",
    "factor through a view": """
Q = f(W_UK, W_Q)
Q.view(H, r, D).mul_(2)
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "a list whose entry changes": """
hats = [W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)]
hats[2] = hats[2].T
return hats
""",
    "a list that is added to, and changes": """
hats = [W_DKV, W_DKV]
hats += [f(W_UK, W_Q), g(W_O, W_UV)]
hats[2] = hats[2].T
return hats
""",
    "a mapping whose entry changes in place": """
hats = {"Q": f(W_UK, W_Q), "O": g(W_O, W_UV)}
hats["Q"] *= 2
return W_DKV, W_DKV, hats["Q"], hats["O"]
""",
    "squeeze in place": """
Q = f(W_UK, W_Q)
Q.squeeze_()
O = g(W_O, W_UV)
return W_DKV, W_DKV, Q, O
""",
    "in a mapping": """
out = {}
out['Q'] = f(W_UK, W_Q)
out['Q'] = out['Q'].T
out['O'] = g(W_O, W_UV)
return W_DKV, W_DKV, out['Q'], out['O']
""",
}


def found(body: str, head: str = HEAD) -> tuple[int, int] | None:
    """The line within the body, from 1, and the output, from 0, of a second statement."""
    source = head + textwrap.indent(body.strip("\n"), "    ")
    ast.parse(source)
    with notebook("part13", source):
        second = second_statement("part13-answer", "reduced_matrices", rules.SIZES)
        breach = rules.one_statement_each("part13-answer", "reduced_matrices")
    assert (second is None) == (breach is None)
    return second and (second[1] - 1, second[2])


@pytest.mark.parametrize("body", FREE.values(), ids=FREE)
def test_one_statement_an_output_is_free_however_it_is_written(body: str):
    assert found(body) is None


@pytest.mark.parametrize("body", FREE.values(), ids=FREE)
def test_parameter_names_are_free(body: str):
    assert found(body, "def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H, *, device=None) -> tuple:\n") is None
    source = HEAD + textwrap.indent(body.strip("\n"), "    ")
    for old, new in (("W_DKV", "down"), ("W_UK", "A"), ("W_UV", "B"), ("W_Q", "C"), ("W_O", "E"), ("H", "heads")):
        source = re.sub(rf"\b{old}\b", new, source)
    with notebook("part13", source):
        assert second_statement("part13-answer", "reduced_matrices", rules.SIZES) is None


@pytest.mark.parametrize("body", TWO.values(), ids=TWO)
def test_a_second_statement_that_computes_an_output_is_found(body: str):
    assert found(body) is not None


@pytest.mark.parametrize(
    "call", ["insert()", "insert(x=1)", "append()", "update()", "extend()", "setdefault()", "insert(-1, W_Q)"]
)
def test_a_call_that_python_refuses_or_that_puts_in_an_input_is_no_statement(call: str):
    assert found(f"hats = [W_DKV, W_DKV]\nhats.{call}\nreturn hats") is None


@pytest.mark.parametrize(
    ("name", "line", "output"),
    [("reshape", 2, 2), ("factor", 2, 2), ("factor *=", 2, 2), ("mul_", 2, 2), ("return reshape", 3, 2), ("O", 3, 3)]
    + [("K", 2, 0), ("tuple", 2, 2), ("with", 3, 2), ("semicolon", 1, 2)]
    + [("allocated, then a slice", 2, 2), ("allocated, then copy_", 2, 3), ("a copy of the key, allocated first", 2, 0)]
    + [
        ("inserted", 3, 2),
        ("updated", 3, 2),
        ("torch.clone", 2, 2),
        ("a list whose entry changes", 2, 2),
        ("a mapping whose entry changes in place", 2, 2),
    ],
)
def test_the_second_statement_is_named_by_its_line_and_output(name: str, line: int, output: int):
    assert found(TWO[name]) == (line, output)


def test_the_breach_counts_outputs_from_1():
    with notebook("part13", HEAD + textwrap.indent(TWO["reshape"].strip("\n"), "    ")):
        text = rules.one_statement_each("part13-answer", "reduced_matrices").text
    assert "Answer, line 3, `Q = Q.reshape(1, 2)`" in text and "output 3" in text


SIZES_OF = "def sizes(W, H):\n    r, D = W.shape\n    return r, D, D // H"
BY_SIZES = "r, D, d = sizes(W_DKV, H)\nQ = (r / d) ** 0.5 * f(W_UK, W_Q)\nO = g(W_O, W_UV)\nreturn W_DKV, W_DKV, Q, O"
BY_VIEWS = "UK = cut(W_UK, H)\nQ = UK.mT @ cut(W_Q, H)\nO = g(W_O, W_UV)\nreturn W_DKV, W_DKV, Q, O"
BY_STEPS = "Q = step(W_UK, W_Q)\nQ = Q * 2\nreturn W_DKV, W_DKV, Q, g(W_O, W_UV)"
IN_A_CLASS = "UK = C.cut(W_UK, H)\nQ = UK.mT @ C.cut(W_Q, n=H)\nreturn W_DKV, W_DKV, Q, g(W_O, W_UV)"
SIZES_CLASS = (
    "class Sizes:\n    def __init__(self, W, H):\n        self.r, self.D = W.shape\n        self.H = H\n\n"
    "    @property\n    def d(self):\n        return self.D // self.H"
)
BY_ATTRIBUTES = "s = Sizes(W_DKV, H)\nQ = (s.r / s.d) ** 0.5 * f(W_UK, W_Q)\nreturn W_DKV, W_DKV, Q, g(W_O, W_UV)"
KEPT_IN_IT = "Q = f(W_UK, W_Q)\ns = Sizes(Q, H)\nreturn W_DKV, W_DKV, s.W, g(W_O, W_UV)"
FILLED = "Q = memory(H, 3)\nQ.copy_(f(W_UK, W_Q))\nreturn W_DKV, W_DKV, Q, g(W_O, W_UV)"


@pytest.mark.parametrize(
    ("helper", "body", "free"),
    [
        (SIZES_OF, BY_SIZES, True),
        ("sizes = lambda W, H: (*W.shape, W.shape[1] // H)", BY_SIZES, True),
        (f"{SIZES_OF.replace('sizes', 'inner')}\n\ndef sizes(W, H):\n    return inner(W, H)", BY_SIZES, True),
        ("def cut(W, H):\n    assert W.ndim == 2\n    return W.reshape(H, -1, W.shape[1])", BY_VIEWS, True),
        ("def cut(W, H):\n    return W.reshape(H, -1, W.shape[1]) * 2", BY_VIEWS, False),
        ("def cut(W, H):\n    W.mul_(2)\n    return W.reshape(H, -1, 3)", BY_VIEWS, False),
        ("def step(A, B):\n    return A.mT @ B", BY_STEPS, False),
        ("def step(*W):\n    A, B = W\n    return A.mT @ B", BY_STEPS, False),
        ("def memory(n, m):\n    return torch.empty(n, m)", FILLED, False),
        ("def cut(W, n):\n    rows, columns = W.shape\n    return W.reshape(n, rows // n, columns)", BY_VIEWS, True),
        ("def cut(*W, n=2, **more):\n    return W[0].reshape(W[1] // n, -1, 3)", BY_VIEWS, True),
        ("def cut(*W):\n    return (W[0] / W[1]).reshape(3)", BY_VIEWS, False),
        ("def pack(*hats):\n    return hats", "Q = f(W_UK, W_Q)\nreturn pack(W_DKV, W_DKV, Q, g(W_O, W_UV))", True),
        ("def pack(Q, **hats):\n    return Q * 2, hats['K']", "Q = f(W_UK, W_Q)\nreturn pack(Q, K=W_DKV)", False),
        (SIZES_CLASS, BY_ATTRIBUTES, True),
        (SIZES_CLASS.replace("W.shape", "W.mul_(2).shape"), BY_ATTRIBUTES, False),
        (f"class A:\n    pass\n\n\n{SIZES_CLASS.replace('Sizes:', 'Sizes(A):')}", BY_ATTRIBUTES, False),
        (SIZES_CLASS.replace("W, H):", "W, H):\n        self.W = 2 * W"), KEPT_IN_IT, False),
        (SIZES_CLASS.replace("self.H = H", "self.W = W"), KEPT_IN_IT, True),
        (
            "class C:\n    @staticmethod\n    def cut(W, n):\n        return W.view(n, 3 // n)\n\ncut = C.cut",
            IN_A_CLASS,
            True,
        ),
    ],
    ids="sizes|lambda|of a helper|views|computes|writes|product|any arguments|memory|divides|many arguments|"
    "computes with any|packs|packs and computes|object|object that writes|object of another class|object that computes|"
    "object that keeps|of a class".split("|"),
)
def test_a_helper_that_gives_sizes_or_views_alone_is_free_and_one_that_computes_is_not(
    helper: str, body: str, free: bool
):
    inside = HEAD + textwrap.indent(f"{helper}\n\n{body}", "    ")
    beside = f"{helper}\n\n\n{HEAD}{textwrap.indent(body, '    ')}"
    for cells in [(beside,), (helper, HEAD + textwrap.indent(body, "    "))] + [(inside,)] * ("lambda" not in helper):
        with notebook("part13", *cells):
            for _ in range(2):  # what is read stays as it is
                assert (second_statement("part13-answer", "reduced_matrices", rules.SIZES) is None) == free


def test_lists_that_double_are_read_in_no_time():
    doubled = "hats = [W_DKV, W_DKV]\n" + "hats = [*hats, *hats]\n" * 2000
    assert found(doubled + "return W_DKV, W_DKV, f(W_UK, W_Q), g(W_O, W_UV)") is None


@pytest.mark.parametrize(
    "source", ["pass", "reduced_matrices = 5", "class reduced_matrices: pass", "def other(a):\n    return a"]
)
def test_without_the_function_there_is_nothing_to_find(source: str):
    with notebook("part13", source):
        assert second_statement("part13-answer", "reduced_matrices", rules.SIZES) is None


def test_the_function_that_counts_is_the_last_one_of_any_cell():
    good, bad = (
        HEAD + textwrap.indent(t["plain" if t is FREE else "reshape"].strip("\n"), "    ") for t in (FREE, TWO)
    )
    for cells, right in (
        ((bad, good), True),
        ((good, bad), False),
        ((bad + "\n" + good,), True),
        ((good + "\n" + bad,), False),
    ):
        with notebook("part13", *cells):
            assert (second_statement("part13-answer", "reduced_matrices", rules.SIZES) is None) == right


def test_a_helper_of_a_thousand_names_is_read_once():
    names = [f"a{n}" for n in range(1_000)]
    helper = f"{'='.join(names)} = lambda: [{','.join(names)}]"
    with notebook("part12", f"{helper}\n{HEAD}    return W_DKV, W_DKV, W_UK @ W_Q, W_O"):
        started = time.thread_time()
        assert second_statement("part12-answer", "reduced_matrices", ["H"]) is None
        assert busy.within(time.thread_time() - started, 3.0)  # 12 s, and four times that for twice as many


def test_functions_that_call_functions_are_read_in_no_time():
    steps = [f"def f{n}(A):\n    return {' + '.join([f'f{n + 1}(A)'] * 20)}\n" for n in range(8)]
    steps.append("def f8(A):\n" + "    A = A * 2\n" * 2000 + "    return A\n")
    calls = "    Q = f0(W_UK)\n    Q = f8(W_UK)\n" * 300
    with notebook("part13", "".join(steps) + HEAD + calls + "    return W_DKV, W_DKV, Q, W_O"):
        started = time.thread_time()
        second_statement("part13-answer", "reduced_matrices", rules.SIZES)
        assert busy.within(time.thread_time() - started, 5.0)  # minutes, where each call is read


@pytest.mark.parametrize("nested", ["g({})", "[{}]", "tuple([{}])", "inner({})", "reversed([{}])", "-{}", "W_Q[{}]"])
def test_expressions_nested_as_deep_as_any_that_is_read_are_read(nested: str):
    levels = 90 if "([" in nested else 185
    deep = "{}"
    for _ in range(levels):
        deep = deep.replace("{}", nested)
    steps = [f"def f{n}(A):\n    return {deep.format(f'f{n + 1}(A)')}\n" for n in range(7)]
    own = "def inner(A):\n    return A\n" + "".join(steps)
    two = f"    Q = W_UK @ W_Q\n    Q = {deep.format('f0(Q)')}\n    Q = Q * 2\n    return W_DKV, W_DKV, Q, W_O"
    with notebook("part13", own + HEAD + two):
        assert second_statement("part13-answer", "reduced_matrices", rules.SIZES) is not None


@pytest.mark.parametrize(
    "line",
    [
        "h[::2] = [W_UK]",
        "h[0:n] = [W_UK]",
        "h[:] = W_UK",
        "h[1.5:] = [2]",
        "h = h * -3",
        "h = h[::0]",
        "h = [h] + h[:n]",
    ]
    + [
        "h = dict(zip('ab'))",
        "h = dict(zip(**h))",
        "h = dict([(1, 2), (3,)])",
        "h = dict([([1], 2)])",
        "h = reversed()",
    ]
    + [
        "h = f(*W_UK, **W_Q)",
        "h = (lambda a, /, b, *, c: a)()",
        "f = lambda *a, **k: (a, k)\nh = f(1, *[2], x=3, **W_Q)",
    ]
    + ["f = lambda: f()\nh = f()", "def f():\n    yield\nh = f()", "h = (yield)", "h = [h]\nh[0] = h\nh.append(h)"]
    + ["h = h[:10**30]", "f = f", "h = h[True:]", "h = h[{[]}:]", "h[: {[]: 1}] = [W_UK]"],
)
def test_whatever_is_done_with_lists_and_calls_can_be_read(line: str):
    body = "h = [1, 2, 3]\n" + line + "\nQ = W_UK @ W_Q\nQ = Q * 2\nreturn W_DKV, W_DKV, Q, W_O"
    assert found(body) is not None
