// Written by script/embed.
#include "Embedded.h"

static const unsigned char picture0[] = {
#embed "../../seed/images/amur-honeysuckle.png"
};

static const unsigned char picture1[] = {
#embed "../../seed/images/autumn-olive.png"
};

static const unsigned char picture2[] = {
#embed "../../seed/images/birds-foot-trefoil.png"
};

static const unsigned char picture3[] = {
#embed "../../seed/images/black-locust.png"
};

static const unsigned char picture4[] = {
#embed "../../seed/images/broad-leaved-helleborine.png"
};

static const unsigned char picture5[] = {
#embed "../../seed/images/bull-thistle.png"
};

static const unsigned char picture6[] = {
#embed "../../seed/images/burning-bush.png"
};

static const unsigned char picture7[] = {
#embed "../../seed/images/canada-thistle.png"
};

static const unsigned char picture8[] = {
#embed "../../seed/images/common-buckthorn.png"
};

static const unsigned char picture9[] = {
#embed "../../seed/images/common-periwinkle.png"
};

static const unsigned char picture10[] = {
#embed "../../seed/images/common-reed.png"
};

static const unsigned char picture11[] = {
#embed "../../seed/images/common-tansy.png"
};

static const unsigned char picture12[] = {
#embed "../../seed/images/common-teasel.png"
};

static const unsigned char picture13[] = {
#embed "../../seed/images/creeping-bellflower.png"
};

static const unsigned char picture14[] = {
#embed "../../seed/images/crown-vetch.png"
};

static const unsigned char picture15[] = {
#embed "../../seed/images/curly-leaf-pondweed.png"
};

static const unsigned char picture16[] = {
#embed "../../seed/images/cut-leaved-teasel.png"
};

static const unsigned char picture17[] = {
#embed "../../seed/images/dames-rocket.png"
};

static const unsigned char picture18[] = {
#embed "../../seed/images/eurasian-watermilfoil.png"
};

static const unsigned char picture19[] = {
#embed "../../seed/images/european-frogbit.png"
};

static const unsigned char picture20[] = {
#embed "../../seed/images/flowering-rush.png"
};

static const unsigned char picture21[] = {
#embed "../../seed/images/garlic-mustard.png"
};

static const unsigned char picture22[] = {
#embed "../../seed/images/giant-hogweed.png"
};

static const unsigned char picture23[] = {
#embed "../../seed/images/glossy-buckthorn.png"
};

static const unsigned char picture24[] = {
#embed "../../seed/images/hill-mustard.png"
};

static const unsigned char picture25[] = {
#embed "../../seed/images/japanese-barberry.png"
};

static const unsigned char picture26[] = {
#embed "../../seed/images/japanese-hedge-parsley.png"
};

static const unsigned char picture27[] = {
#embed "../../seed/images/japanese-hop.png"
};

static const unsigned char picture28[] = {
#embed "../../seed/images/japanese-knotweed.png"
};

static const unsigned char picture29[] = {
#embed "../../seed/images/japanese-stiltgrass.png"
};

static const unsigned char picture30[] = {
#embed "../../seed/images/leafy-spurge.png"
};

static const unsigned char picture31[] = {
#embed "../../seed/images/lesser-celandine.png"
};

static const unsigned char picture32[] = {
#embed "../../seed/images/moneywort.png"
};

static const unsigned char picture33[] = {
#embed "../../seed/images/morrows-honeysuckle.png"
};

static const unsigned char picture34[] = {
#embed "../../seed/images/multiflora-rose.png"
};

static const unsigned char picture35[] = {
#embed "../../seed/images/musk-thistle.png"
};

static const unsigned char picture36[] = {
#embed "../../seed/images/narrow-leaved-cattail.png"
};

static const unsigned char picture37[] = {
#embed "../../seed/images/oriental-bittersweet.png"
};

static const unsigned char picture38[] = {
#embed "../../seed/images/poison-hemlock.png"
};

static const unsigned char picture39[] = {
#embed "../../seed/images/purple-loosestrife.png"
};

static const unsigned char picture40[] = {
#embed "../../seed/images/reed-canary-grass.png"
};

static const unsigned char picture41[] = {
#embed "../../seed/images/spotted-knapweed.png"
};

static const unsigned char picture42[] = {
#embed "../../seed/images/tatarian-honeysuckle.png"
};

static const unsigned char picture43[] = {
#embed "../../seed/images/tree-of-heaven.png"
};

static const unsigned char picture44[] = {
#embed "../../seed/images/white-sweet-clover.png"
};

static const unsigned char picture45[] = {
#embed "../../seed/images/wild-parsnip.png"
};

static const unsigned char picture46[] = {
#embed "../../seed/images/yellow-iris.png"
};

static const unsigned char picture47[] = {
#embed "../../seed/images/yellow-sweet-clover.png"
};

static const EmbeddedFile pictures[] = {
    {"amur-honeysuckle.png", picture0, sizeof picture0},
    {"autumn-olive.png", picture1, sizeof picture1},
    {"birds-foot-trefoil.png", picture2, sizeof picture2},
    {"black-locust.png", picture3, sizeof picture3},
    {"broad-leaved-helleborine.png", picture4, sizeof picture4},
    {"bull-thistle.png", picture5, sizeof picture5},
    {"burning-bush.png", picture6, sizeof picture6},
    {"canada-thistle.png", picture7, sizeof picture7},
    {"common-buckthorn.png", picture8, sizeof picture8},
    {"common-periwinkle.png", picture9, sizeof picture9},
    {"common-reed.png", picture10, sizeof picture10},
    {"common-tansy.png", picture11, sizeof picture11},
    {"common-teasel.png", picture12, sizeof picture12},
    {"creeping-bellflower.png", picture13, sizeof picture13},
    {"crown-vetch.png", picture14, sizeof picture14},
    {"curly-leaf-pondweed.png", picture15, sizeof picture15},
    {"cut-leaved-teasel.png", picture16, sizeof picture16},
    {"dames-rocket.png", picture17, sizeof picture17},
    {"eurasian-watermilfoil.png", picture18, sizeof picture18},
    {"european-frogbit.png", picture19, sizeof picture19},
    {"flowering-rush.png", picture20, sizeof picture20},
    {"garlic-mustard.png", picture21, sizeof picture21},
    {"giant-hogweed.png", picture22, sizeof picture22},
    {"glossy-buckthorn.png", picture23, sizeof picture23},
    {"hill-mustard.png", picture24, sizeof picture24},
    {"japanese-barberry.png", picture25, sizeof picture25},
    {"japanese-hedge-parsley.png", picture26, sizeof picture26},
    {"japanese-hop.png", picture27, sizeof picture27},
    {"japanese-knotweed.png", picture28, sizeof picture28},
    {"japanese-stiltgrass.png", picture29, sizeof picture29},
    {"leafy-spurge.png", picture30, sizeof picture30},
    {"lesser-celandine.png", picture31, sizeof picture31},
    {"moneywort.png", picture32, sizeof picture32},
    {"morrows-honeysuckle.png", picture33, sizeof picture33},
    {"multiflora-rose.png", picture34, sizeof picture34},
    {"musk-thistle.png", picture35, sizeof picture35},
    {"narrow-leaved-cattail.png", picture36, sizeof picture36},
    {"oriental-bittersweet.png", picture37, sizeof picture37},
    {"poison-hemlock.png", picture38, sizeof picture38},
    {"purple-loosestrife.png", picture39, sizeof picture39},
    {"reed-canary-grass.png", picture40, sizeof picture40},
    {"spotted-knapweed.png", picture41, sizeof picture41},
    {"tatarian-honeysuckle.png", picture42, sizeof picture42},
    {"tree-of-heaven.png", picture43, sizeof picture43},
    {"white-sweet-clover.png", picture44, sizeof picture44},
    {"wild-parsnip.png", picture45, sizeof picture45},
    {"yellow-iris.png", picture46, sizeof picture46},
    {"yellow-sweet-clover.png", picture47, sizeof picture47},
};

unsigned long embedded_picture_count(void) { return sizeof pictures / sizeof *pictures; }

EmbeddedFile embedded_picture(unsigned long index) { return pictures[index]; }
