"""Links, pipes, configuration and modules beside the notebook, to read or run them; nothing but plain data is taken in."""
# part: 3
# earns: 10
# tamper: links, pipes, programs, sizes, depths, bad_timestamp
# %%
# MODEL
# %%
import os

for root, folders, files in os.walk(".", followlinks=True):
    for name in files:
        path = os.path.join(root, name)
        print(path, os.path.getsize(path), open(path, "rb").read()[:3000])
        if name.startswith(("link", "pipe")) or name in ("nbgrader_config.py", "torch.py", "sitecustomize.py", "x.pth"):
            print("STO" + "LEN", path)
print(open("data.txt").read(), __import__("helpers").NUMBER)
