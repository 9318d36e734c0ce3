// The files of fonts, as they are, between two names each. The build says where they lie.

    .section .rodata
    .macro embed name, path
    .balign 16
    .global mote_\name\()_begin, mote_\name\()_end
mote_\name\()_begin:
    .incbin "\path"
mote_\name\()_end:
    .endm

    embed body_font, MOTE_BODY_FONT
    embed heading_font, MOTE_HEADING_FONT
    embed mono_font, MOTE_MONO_FONT
    embed icon_font, MOTE_ICON_FONT

    .section .note.GNU-stack, "", %progbits
