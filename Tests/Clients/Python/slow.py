"""Reads over a link that takes little at a time; the argument is the server's address.

curl's --limit-rate lets a short answer through at once, and the system's buffers hide a slow reader
from the server. Here the window is so narrow that the server has to wait.
"""

import hashlib
import socket
import sys
import time

import requests
from requests.adapters import HTTPAdapter

BASE = sys.argv[1]


class Narrow(HTTPAdapter):
    def init_poolmanager(self, *arguments, **options):
        window = [(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)]
        super().init_poolmanager(*arguments, socket_options=window, **options)


def session(adapter=None):
    made = requests.Session()
    made.trust_env = False
    if adapter:
        made.mount('http://', adapter)
    return made


fast, slow = session(), session(Narrow())


def read_slowly(path):
    """Gives the body, and the seconds it took."""
    start, pieces = time.monotonic(), []
    with slow.get(BASE + path, stream=True, timeout=20) as response:
        assert response.status_code == 200, response.text
        length = int(response.headers['Content-Length'])
        for piece in response.iter_content(max(1, length // 50)):
            pieces.append(piece)
            time.sleep(0.02)
            if len(pieces) == 5:
                # Nobody else has to wait.
                parks = fast.get(BASE + '/invasive/parks', timeout=5)
                assert len(parks.json()) == 50
    body = b''.join(pieces)
    assert len(body) == length, f'{path}: {len(body)} bytes of {length}'
    return body, time.monotonic() - start


user = fast.post(BASE + '/invasive/users', json={'username': 'ada', 'password': 'pw'}).json()['iduser']
for number in range(40):
    sighting = {'user': user, 'species': 1, 'park': 1, 'comment': f'{number} ' + 'é🌿' * 4000, 'date': ''}
    answer = fast.post(BASE + '/invasive/observations', json=sighting)
    assert answer.status_code == 200, answer.text

for path in ('/invasive/images/garlic-mustard.png', '/invasive/species', '/invasive/observations'):
    whole = fast.get(BASE + path).content
    body, seconds = read_slowly(path)
    digests = [hashlib.sha256(one).hexdigest() for one in (whole, body)]
    assert digests[0] == digests[1], f'{path}: the bytes are others'
    assert seconds > 0.5, f'{path} took {seconds} s only'
print('all answers were whole')
