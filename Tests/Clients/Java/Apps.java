import com.google.gson.Gson;
import com.google.gson.JsonIOException;
import com.google.gson.TypeAdapter;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import java.io.File;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.lang.reflect.Field;
import java.lang.reflect.Type;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import okhttp3.Cache;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;

/**
 * The calls of both apps as an Android client makes them: OkHttp, and Gson as Retrofit 2.9 uses it.
 * The argument is the server's address.
 */
public final class Apps {
  static final class Species { int idspecies; String name; String image; }

  static final class Park { int idpark; String name; String county; }

  /** Android leaves the id out of a sign-up. */
  static final class NewUser {
    String username = "ada", password = "correct horse+battery&staple%20=é🌿";
    String realname = "Ada Lovelace", phone = "608 555 0100";
  }

  static final class User { int iduser; String username; String password; String realname; String phone; }

  static final class Observation { int user; int species; int park; String comment; String date; }

  static final class StoredObservation {
    int idobservation; int user; int species; int park; String comment; String date;
  }

  static final class Account { String name = "grace"; String password = "a+b c"; }

  static final class Person { int id; String name; String office; }

  static final class StoredPerson { int id; String name; String office; int user; }

  private static final MediaType JSON = MediaType.get("application/json; charset=UTF-8");
  private static final Gson gson = new Gson();
  private static int connections = 0;
  private final HttpUrl base;
  private final OkHttpClient client;

  private Apps(String base, File cache) {
    this.base = HttpUrl.get(base);
    client = new OkHttpClient.Builder()
        .proxy(Proxy.NO_PROXY)
        .cache(new Cache(cache, 10_000_000))
        .eventListener(new EventListener() {
          @Override public void connectStart(Call call, InetSocketAddress address, Proxy proxy) {
            connections++;
          }
        })
        .build();
  }

  public static void main(String[] arguments) throws IOException {
    File cache = Files.createTempDirectory("okhttp").toFile();
    Apps apps = new Apps(arguments[0], cache);
    try {
      apps.invasive();
      apps.directory();
      equal(connections, 1, "connections");
    } finally {
      apps.client.cache().delete();
      apps.client.connectionPool().evictAll();
      apps.client.dispatcher().executorService().shutdown();
    }
    System.out.println("all calls were answered as they should be");
  }

  private void invasive() throws IOException {
    Type speciesList = new TypeToken<List<Species>>() {}.getType();
    List<Species> species = get(speciesList, url("invasive/species"));
    equal(species.size(), 48, "species");
    for (int index = 0; index < species.size(); index++) {
      equal(species.get(index).idspecies, index + 1, "the id of a species");
      allThere(species.get(index));
    }
    equal(species.get(0).name, "Garlic Mustard", "the first species");
    equal(species.get(0).image, base + "invasive/images/garlic-mustard.png", "its picture");
    equal(this.<Species>get(Species.class, url("invasive/species/48")).name, species.get(47).name, "the last");
    revalidated(url("invasive/species"));

    try (Response picture = send("GET", HttpUrl.get(species.get(0).image), null)) {
      equal(picture.code(), 200, "the picture's status");
      equal(picture.body().contentType().toString(), "image/png", "its type");
      byte[] bytes = picture.body().bytes();
      equal((long) bytes.length, picture.body().contentLength(), "its length");
      equal(new String(bytes, 1, 3, StandardCharsets.US_ASCII), "PNG", "what it is");
    }

    List<Park> parks = get(new TypeToken<List<Park>>() {}.getType(), url("invasive/parks"));
    equal(parks.size(), 50, "parks");
    for (Park park : parks) allThere(park);
    equal(parks.get(0).name + ", " + parks.get(0).county, "Amnicon Falls State Park, Douglas", "the first park");
    equal(this.<Park>get(Park.class, url("invasive/parks/50")).idpark, 50, "the last park");

    NewUser account = new NewUser();
    User user = change("POST", User.class, url("invasive/users"), account);
    allThere(user);
    equal(user.iduser > 0, true, "the user's id is there");
    equal(user.password, account.password, "the password");
    HttpUrl login = url("invasive/users").newBuilder()
        .addQueryParameter("user", account.username).addQueryParameter("password", account.password).build();
    equal(gson.toJson(this.<User>get(User.class, login)), gson.toJson(user), "the login");
    refused(401, "GET", login.newBuilder().setQueryParameter("password", "wrong").build(), null);
    refused(409, "POST", url("invasive/users"), account);

    Observation sighting = new Observation();
    sighting.user = user.iduser;
    sighting.species = 4;
    sighting.park = 13;
    sighting.comment = "by the \"shore\"\n🌿 e\u0301 \u2028 \u0000 <b>&amp;</b>";
    sighting.date = "2026-06-01";
    String first = change("POST", String.class, url("invasive/observations"), sighting);
    String second = change("POST", String.class, url("invasive/observations"), sighting);
    equal(Integer.parseInt(second) > Integer.parseInt(first), true, "the second id is greater");
    List<StoredObservation> stored = get(
        new TypeToken<List<StoredObservation>>() {}.getType(),
        url("invasive/observations").newBuilder().addQueryParameter("user", "" + user.iduser).build());
    equal(stored.size(), 2, "sightings");
    for (StoredObservation one : stored) {
      allThere(one);
      equal(one.comment, sighting.comment, "the comment");
      equal(one.date, sighting.date, "the date");
      equal(one.user + " " + one.species + " " + one.park, user.iduser + " 4 13", "what it refers to");
    }
    StoredObservation last = get(StoredObservation.class, url("invasive/observations/" + second));
    equal("" + last.idobservation, second, "the id that was answered");
    sighting.species = 999;
    refused(422, "POST", url("invasive/observations"), sighting);
  }

  private void directory() throws IOException {
    Account account = new Account();
    String key = change("POST", String.class, url("directory/users"), account);
    equal(key.matches("[1-9][0-9]{0,38}"), true, "the key is a number: " + key);
    HttpUrl login = url("directory/users").newBuilder()
        .addQueryParameter("user", account.name).addQueryParameter("password", account.password).build();
    equal(this.<String>get(String.class, login), key, "the login's key");
    refused(401, "GET", login.newBuilder().setQueryParameter("password", "a b+c").build(), null);
    refused(409, "POST", url("directory/users"), account);

    HttpUrl people = url("directory/people").newBuilder().addPathSegment(key).build();
    Type list = new TypeToken<List<StoredPerson>>() {}.getType();
    equal(this.<List<StoredPerson>>get(list, people).size(), 0, "people before the first");
    Person person = new Person();
    person.name = "Grace Hopper";
    person.office = "B 12";
    String id = change("POST", String.class, people, person);
    HttpUrl one = people.newBuilder().addPathSegment(id).build();
    StoredPerson found = get(StoredPerson.class, one);
    allThere(found);
    equal(found.id + found.name + found.office, id + person.name + person.office, "the person");
    person.office = "A 1 – 🌿";
    equal(change("PUT", String.class, one, person), id, "the id of who was changed");
    List<StoredPerson> all = get(list, people);
    equal(all.size(), 1, "people");
    equal(all.get(0).office, person.office, "the office");
    equal(change("DELETE", String.class, one, null), id, "the id of who was removed");
    refused(404, "DELETE", one, null);
    refused(404, "GET", one, null);
    equal(this.<List<StoredPerson>>get(list, people).size(), 0, "people after the last");
  }

  private HttpUrl url(String path) {
    return base.newBuilder().addPathSegments(path).build();
  }

  /** As Retrofit's OkHttpCall: a body only where the call has one. */
  private Response send(String method, HttpUrl url, Object body) throws IOException {
    RequestBody sent = body == null ? null : converted(body);
    return client.newCall(new Request.Builder().url(url).method(method, sent).build()).execute();
  }

  /** As Retrofit's GsonRequestBodyConverter. */
  @SuppressWarnings("unchecked")
  private static <T> RequestBody converted(T value) throws IOException {
    TypeAdapter<T> adapter = (TypeAdapter<T>) gson.getAdapter(TypeToken.get(value.getClass()));
    Buffer buffer = new Buffer();
    JsonWriter writer =
        gson.newJsonWriter(new OutputStreamWriter(buffer.outputStream(), StandardCharsets.UTF_8));
    adapter.write(writer, value);
    writer.close();
    return RequestBody.create(JSON, buffer.readByteString());
  }

  /** As Retrofit's GsonResponseBodyConverter. */
  @SuppressWarnings("unchecked")
  private static <T> T converted(ResponseBody body, Type type) throws IOException {
    TypeAdapter<T> adapter = (TypeAdapter<T>) gson.getAdapter(TypeToken.get(type));
    JsonReader reader = gson.newJsonReader(body.charStream());
    if (reader.isLenient()) throw new AssertionError("the reader is lenient");
    try (body) {
      T result = adapter.read(reader);
      if (reader.peek() != JsonToken.END_DOCUMENT) {
        throw new JsonIOException("JSON document was not fully consumed.");
      }
      return result;
    }
  }

  private <T> T get(Type type, HttpUrl url) throws IOException {
    return change("GET", type, url, null);
  }

  private <T> T change(String method, Type type, HttpUrl url, Object body) throws IOException {
    try (Response response = send(method, url, body)) {
      equal(response.code(), 200, method + " " + url + ": the status");
      T result = converted(response.body(), type);
      if (result == null) throw new AssertionError(method + " " + url + ": the body is null");
      return result;
    }
  }

  private void refused(int status, String method, HttpUrl url, Object body) throws IOException {
    try (Response response = send(method, url, body)) {
      equal(response.code(), status, method + " " + url + ": the status");
      equal(response.isSuccessful(), false, "it counts as a failure");
      equal(response.body().contentType().subtype(), "problem+json", "the error's type");
      equal(response.body().string().contains("\"detail\":\""), true, "the error has a detail");
    }
  }

  /** What is in OkHttp's cache is asked for with its ETag, and not sent again. */
  private void revalidated(HttpUrl url) throws IOException {
    try (Response response = send("GET", url, null)) {
      equal(response.code(), 200, "the status of what was kept");
      equal(response.cacheResponse() != null, true, "it comes from the cache");
      equal(response.networkResponse().code(), 304, "the server's status");
      equal(response.body().string().startsWith("[{\"idspecies\":1,"), true, "its body");
    }
  }

  /** Gson leaves null what is missing; Kotlin's types promise that it never is. */
  private static void allThere(Object value) {
    for (Field field : value.getClass().getDeclaredFields()) {
      try {
        if (field.get(value) == null) throw new AssertionError(field + " is null");
        if (field.get(value).equals(0)) throw new AssertionError(field + " is 0");
      } catch (IllegalAccessException error) {
        throw new AssertionError(error);
      }
    }
  }

  private static void equal(Object found, Object expected, String what) {
    if (!expected.equals(found)) {
      throw new AssertionError(what + ": expected " + expected + ", got " + found);
    }
  }
}
