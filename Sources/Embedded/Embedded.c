#include "Embedded.h"

static const unsigned char schema[] = {
#embed "../../schema.sql"
};

static const unsigned char species[] = {
#embed "../../seed/species.csv"
};

static const unsigned char parks[] = {
#embed "../../seed/parks.csv"
};

const char *embedded_commit(void) {
  return UNDERSTUDY_COMMIT;
}

EmbeddedFile embedded_schema(void) {
  return (EmbeddedFile){"schema.sql", schema, sizeof schema};
}

EmbeddedFile embedded_species(void) {
  return (EmbeddedFile){"species.csv", species, sizeof species};
}

EmbeddedFile embedded_parks(void) {
  return (EmbeddedFile){"parks.csv", parks, sizeof parks};
}
