"""An endless loop in a cell that swallows every exception; the kernel is ended, and its marks with it."""
# part: 3
# earns: 0
# %%
# MODEL
# %%
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
