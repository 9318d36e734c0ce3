#pragma once

// Atomic operations on device and shared memory. Each returns the old value.

int atomicAdd(int* address, int value);
unsigned atomicAdd(unsigned* address, unsigned value);
unsigned long long atomicAdd(unsigned long long* address, unsigned long long value);
float atomicAdd(float* address, float value);

int atomicSub(int* address, int value);
unsigned atomicSub(unsigned* address, unsigned value);

int atomicMax(int* address, int value);
unsigned atomicMax(unsigned* address, unsigned value);
unsigned long long atomicMax(unsigned long long* address, unsigned long long value);

int atomicMin(int* address, int value);
unsigned atomicMin(unsigned* address, unsigned value);
unsigned long long atomicMin(unsigned long long* address, unsigned long long value);

int atomicAnd(int* address, int value);
unsigned atomicAnd(unsigned* address, unsigned value);
unsigned long long atomicAnd(unsigned long long* address, unsigned long long value);

int atomicOr(int* address, int value);
unsigned atomicOr(unsigned* address, unsigned value);
unsigned long long atomicOr(unsigned long long* address, unsigned long long value);

int atomicExch(int* address, int value);
unsigned atomicExch(unsigned* address, unsigned value);
unsigned long long atomicExch(unsigned long long* address, unsigned long long value);
float atomicExch(float* address, float value);

int atomicCAS(int* address, int expected, int value);
unsigned atomicCAS(unsigned* address, unsigned expected, unsigned value);
unsigned long long atomicCAS(unsigned long long* address, unsigned long long expected,
                             unsigned long long value);
