"""Environment, home, network, folders, other processes: nothing of the course is to be seen from inside."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
import glob
import os
import socket
import subprocess

print(dict(os.environ))
for pattern in ("/proc/*/environ", "/proc/*/cmdline", "/proc/*/maps"):
    for path in glob.glob(pattern):
        try:
            print(path, open(path, "rb").read()[:20000])
        except OSError:
            pass
print(subprocess.run("id; mount; ls -laR /tmp /run /home /root /work /mnt /srv /opt /var 2>/dev/null | head -500; cat ~/* /etc/passwd /etc/shadow; set",
                     shell=True, capture_output=True, text=True).stdout)
for root, _, files in os.walk("/"):
    if root.startswith(("/proc", "/sys", "/usr")):
        continue
    for name in files:
        if name.endswith((".db", ".ipynb", "diary.txt", "oracles.py", "nbgrader_config.py", "judge.py")):
            path = os.path.join(root, name)
            if "site-packages" not in path and "part03.ipynb" not in path:
                print("STO" + "LEN", path, open(path, "rb").read()[:2000])
try:
    import grading
    print("STO" + "LEN", grading)
except ImportError:
    pass
for address in (("127.0.0.1", 22), ("1.1.1.1", 53), ("8.8.8.8", 80)):
    try:
        socket.create_connection(address, 1)
        print("STO" + "LEN", address)
    except OSError as error:
        print(error)
