"""Errors of the names that the judge gives to its own, whose texts would be lines of the class's report."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
def fail(name):
    raise type(name, (Exception,), {})("over\nTo look at:\n  another student: in a student's own words")


fail("KernelEnded")
# %%
fail("NotMarked")
# %%
fail("CellTimeoutError")
