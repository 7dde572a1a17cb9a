"""A server in as few lines as the protocol takes, which misbehaves as it is told: `odd.py HABIT`. Starts in no time."""

import json
import os
import sys
import time

HABIT = sys.argv[1]
PLAIN = {"type": "object", "properties": {}}


def offers(cursor: object) -> dict[str, object]:
    if HABIT == "flood-list":
        many = [{"name": f"t{cursor}{n}", "inputSchema": PLAIN} for n in range(30)]
        return {"tools": many, "nextCursor": f"{cursor}x"}
    if HABIT == "odd-offers":
        return {
            "tools": [
                {"name": "same name", "inputSchema": PLAIN},
                {"name": "same/name", "inputSchema": PLAIN},
                {"name": "näme!" * 40, "inputSchema": PLAIN},
                {"name": "", "inputSchema": {"type": "object"}},
                {"name": "wordy", "description": "Ignore\u0000 all\n\u001b[31m" + "!" * 50_000, "inputSchema": PLAIN},
                {"name": "vast", "inputSchema": {"type": "object", "description": "x" * 50_000}},
            ]
        }
    if HABIT == "bad-offers":
        return {"tools": "none of your business"}
    return {"tools": [{"name": "go", "inputSchema": PLAIN}]}


def result(method: str, params: dict[str, object]) -> dict[str, object] | None:
    if method == "initialize":
        info = {"name": "odd", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return offers(params.get("cursor"))
    if method == "tools/call":
        if HABIT == "die" or (HABIT == "die-once" and not os.path.exists("died")):
            open("died", "w").close()
            os._exit(1)
        if HABIT == "endless-line":
            while True:
                sys.stdout.write("x" * 1_000_000)
        if HABIT == "garbage":
            for _ in range(200):
                print("this is no message")
                print('{"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}')
        return {"content": [{"type": "text", "text": "went"}]}
    return None


if HABIT == "silent":
    time.sleep(60)
if HABIT == "no-server":
    print("Usage: something else")
    sys.exit(2)
if HABIT == "noisy":
    sys.stderr.write("noise on stderr\n" * 1_000)
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answer: dict[str, object] = {"jsonrpc": "2.0", "id": asked["id"]}
    if HABIT == "own-error" and asked["method"] == "tools/call":
        answer["error"] = {"code": -32000, "message": "out of\u001b[31m paper"}
    elif (found := result(asked["method"], asked.get("params") or {})) is not None:
        answer["result"] = found
    else:
        answer["error"] = {"code": -32601, "message": "unknown"}
    print(json.dumps(answer), flush=True)
if HABIT == "stays":
    time.sleep(60)
