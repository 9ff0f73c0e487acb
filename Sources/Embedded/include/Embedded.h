// Files of the repository that the program carries, so that one binary is all of it.
#pragma once

typedef struct {
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  unsigned long count;
} EmbeddedFile;

/// The commit that the program was built of, abbreviated, with a + where the tree had changes that aren't in it;
/// empty where nobody said.
const char *_Nonnull embedded_commit(void);

/// schema.sql, the database's whole schema.
EmbeddedFile embedded_schema(void);

/// seed/species.csv
EmbeddedFile embedded_species(void);

/// seed/parks.csv
EmbeddedFile embedded_parks(void);

/// How many pictures there are of seed/images.
unsigned long embedded_picture_count(void);

/// One of them; `index` is less than their count.
EmbeddedFile embedded_picture(unsigned long index);
