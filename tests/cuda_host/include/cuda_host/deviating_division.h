#pragma once

// Divisions of floats that deviate by one or two units in the last place, as those of a device may.
// Included before all else in a file, it replaces the instructions by assembler macros. Every
// second division in the file yields more than the exact quotient, the others less. Zero, infinity
// and NaN stay as they are. Needs the GNU assembler.
//
// An operand in memory can contain two commas, which separate arguments of a macro: of the
// arguments, the last is the quotient. {vex} and {load} change nothing, but keep the assembler from
// taking the instruction for the macro again.
asm(R"(
  .pushsection .rodata
  .balign 32
.Lfactor_up:
  .fill 8, 4, 0x3f800001
.Lfactor_down:
  .fill 8, 4, 0x3f7ffffe
  .popsection
  .set .Ldivisions, 0

  .macro deviate multiply, quotient:vararg
  .set .Ldivisions, .Ldivisions + 1
  .if .Ldivisions & 1
  \multiply .Lfactor_up(%rip), \quotient
  .else
  \multiply .Lfactor_down(%rip), \quotient
  .endif
  .endm

  .macro deviate_with_two_operands divide, multiply
  .macro \divide a, b, c, d
  .ifnb \d
  {load} \divide \a, \b, \c, \d
  deviate \multiply, \d
  .else
  .ifnb \c
  {load} \divide \a, \b, \c
  deviate \multiply, \c
  .else
  {load} \divide \a, \b
  deviate \multiply, \b
  .endif
  .endif
  .endm
  .endm
  deviate_with_two_operands divss, mulss
  deviate_with_two_operands divps, mulps

  .macro deviate_with_three_operands divide, multiply
  .macro \divide a, b, c, d, e
  .ifnb \e
  {vex} \divide \a, \b, \c, \d, \e
  deviate \multiply, \e, \e
  .else
  .ifnb \d
  {vex} \divide \a, \b, \c, \d
  deviate \multiply, \d, \d
  .else
  {vex} \divide \a, \b, \c
  deviate \multiply, \c, \c
  .endif
  .endif
  .endm
  .endm
  deviate_with_three_operands vdivss, vmulss
  deviate_with_three_operands vdivps, vmulps
)");
