"""Nothing hostile: asks for input, exits at the end, uses async code and subprocesses; all marks are earned."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
name = input("your name? ")
# %%
import asyncio
import subprocess

await asyncio.sleep(0.1)
print(subprocess.run(["echo", "x"], capture_output=True, text=True).stdout)
async def later():
    return 1
print(await asyncio.gather(later(), later()))
# %%
exit()
# %%
raise SystemExit
# %%
quit()
