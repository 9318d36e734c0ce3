// The files of fonts, as they are, between two names each. The build says where they lie.

    .section .rodata
    .macro embed name, path
    .balign 16
    .global kMote\name\()Begin, kMote\name\()End
kMote\name\()Begin:
    .incbin "\path"
kMote\name\()End:
    .endm

    embed BodyFont, MOTE_BODY_FONT
    embed HeadingFont, MOTE_HEADING_FONT
    embed MonoFont, MOTE_MONO_FONT
    embed IconFont, MOTE_ICON_FONT

    .section .note.GNU-stack, "", %progbits
