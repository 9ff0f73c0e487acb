"""The calls of both apps with requests; the argument is the server's address."""

import json
import os
import re
import sys

import requests

BASE = sys.argv[1]
# Whatever the machine uses for the way out; who is trusted does come from the environment.
os.environ['no_proxy'] = '*'
session = requests.Session()


def equal(found, expected, what):
    assert found == expected, f'{what}: expected {expected!r}, got {found!r}'


def send(method, path, status=200, **options):
    """Sends a request and gives the response, whose status has to be the given one."""
    url = path if path.startswith('http') else BASE + path
    response = session.request(method, url, timeout=20, **options)
    equal(response.status_code, status, f'{method} {path}: {response.text}')
    if status >= 400:
        equal(response.headers['Content-Type'], 'application/problem+json', f'the type of a {status}')
        problem = response.json()
        equal(problem['status'], status, 'the status in the error')
        equal(problem['instance'], response.headers['X-Request-Id'], "the request's id")
    return response


def revalidated(path):
    """Asks again with the ETag of the first answer."""
    etag = send('GET', path).headers['ETag']
    again = send('GET', path, status=304, headers={'If-None-Match': etag})
    equal((again.content, again.headers['ETag']), (b'', etag), f'the 304 of {path}')


def pieces(value):
    """A body of which requests doesn't know the length: it is sent in chunks."""
    for byte in json.dumps(value).encode():
        yield bytes([byte])


def invasive():
    species = send('GET', '/invasive/species').json()
    equal([one['idspecies'] for one in species], list(range(1, 49)), 'species')
    equal(list(species[0].items())[:2], [('idspecies', 1), ('name', 'Garlic Mustard')], 'the first species')
    equal(species[0]['image'], BASE + '/invasive/images/garlic-mustard.png', 'its picture')
    equal(send('GET', '/invasive/species/48').json(), species[47], 'the last species')
    for one in species:
        picture = send('GET', one['image'])
        equal(picture.headers['Content-Type'], 'image/png', 'the type of a picture')
        equal(picture.content[1:4], b'PNG', 'what it begins with')
        head = send('HEAD', one['image'])
        equal(int(head.headers['Content-Length']), len(picture.content), 'its length')
    parks = send('GET', '/invasive/parks').json()
    equal(len(parks), 50, 'parks')
    equal(send('GET', '/invasive/parks/50').json(), parks[49], 'the last park')
    revalidated('/invasive/species')
    revalidated('/invasive/parks/1')

    account = {'iduser': 0, 'username': 'ada', 'password': 'a+b c&d=é🌿', 'realname': 'Ada L.', 'phone': ''}
    user = send('POST', '/invasive/users', json=account).json()
    equal(user, {**account, 'iduser': user['iduser']}, 'the user')
    query = {'user': 'ada', 'password': account['password']}
    equal(send('GET', '/invasive/users', params=query).json(), user, 'the login')
    send('GET', '/invasive/users', status=401, params={'user': 'ada', 'password': 'wrong'})
    send('POST', '/invasive/users', status=409, json=account)

    sighting = {'user': user['iduser'], 'species': 4, 'park': 13, 'comment': '🌿 \0 é\n', 'date': 'June 1'}
    path = '/invasive/observations'
    posted = send('POST', path, json=sighting)
    chunked = send('POST', path, data=pieces(sighting))
    form = send('POST', path, data=json.dumps(sighting), headers={
        'Content-Type': 'application/x-www-form-urlencoded'})
    marked = send('POST', path, data=b'\xef\xbb\xbf' + json.dumps(sighting, ensure_ascii=False).encode())
    ids = [answer.json() for answer in (posted, chunked, form, marked)]
    stored = [{'idobservation': id, **sighting} for id in ids]
    equal(send('GET', path, params={'user': user['iduser']}).json(), stored, 'the sightings')
    location = requests.compat.urljoin(BASE, posted.headers['Location'])
    equal(send('GET', location).json(), stored[0], 'what stands at the Location')

    # requests reads the Link field itself.
    found, url = [], BASE + path + '?limit=3'
    while url:
        page = send('GET', url)
        found += page.json()
        url = page.links.get('next', {}).get('url')
        url = url and requests.compat.urljoin(BASE, url)
    equal(found, stored, 'the pages')

    key = {'Idempotency-Key': '"one"'}
    first = send('POST', path, json=sighting, headers=key).text
    equal(send('POST', path, json=sighting, headers=key).text, first, 'the id that the same key gets')
    send('POST', path, status=422, json={**sighting, 'park': 999})
    send('POST', path, status=400, data=sighting)


def directory():
    account = {'name': 'grace', 'password': 'p+q r%s'}
    key = send('POST', '/directory/users', json=account)
    assert re.fullmatch('[1-9][0-9]{0,38}', key.text), f'the key is a number: {key.text}'
    equal(key.headers['Content-Type'].split(';')[0], 'text/plain', 'its type')
    # Python's numbers have room for all digits.
    equal(key.json(), int(key.text), 'the key as a number')
    login = {'user': 'grace', 'password': account['password']}
    equal(send('GET', '/directory/users', params=login).text, key.text, "the login's key")
    quoted = send('GET', '/directory/users', params=login, headers={'Accept': 'application/json'})
    equal(quoted.json(), key.text, 'the key as JSON')
    send('GET', '/directory/users', status=401, params={**login, 'password': 'wrong'})
    send('POST', '/directory/users', status=409, json=account)

    people = f'/directory/people/{key.text}'
    equal(send('GET', people).json(), [], 'people before the first')
    ids = [send('POST', people, json={'id': 0, 'name': f'P {n}', 'office': f'R {n}'}).json() for n in (1, 2)]
    one = f'{people}/{ids[0]}'
    changed = {'id': 0, 'name': 'Zoë', 'office': '🌿', 'pay': 1.5, 'digits': 12345678901234567890}
    equal(send('PUT', one, data=pieces(changed)).json(), ids[0], 'the id of who was changed')
    found = send('GET', one).json()
    equal(found, {**changed, 'id': ids[0], 'user': found['user']}, 'who was changed')
    equal(list(found), ['id', 'name', 'office', 'user', 'pay', 'digits'], 'the order of the members')
    equal([person['id'] for person in send('GET', people).json()], ids, 'the ids')
    revalidated(people)
    equal(send('DELETE', one).json(), ids[0], 'the id of who was removed')
    send('DELETE', one, status=404)
    send('GET', f'/directory/people/{int(key.text) - 1}', status=404)
    equal([person['id'] for person in send('GET', people).json()], ids[1:], 'the other')


invasive()
directory()
print('all calls were answered as they should be')
