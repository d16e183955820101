/* test_rating.c - the ideal of productive spans: the cases of docs/rules.md, section 6. */
#include "verdicts.h"

/* Section 6: the ideal of a span's work. */
static void test_ideal(void) {
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=5e12",
         "0-10 ideal 5000000 @7; 0-10 inefficiency 15000000 @7");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=2500000",
         "0-10 ideal 3 @7; 0-10 inefficiency 19999997 @7");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=2499999",
         "0-10 ideal 2 @7; 0-10 inefficiency 19999998 @7");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=0",
         "0-10 inefficiency 20000000 @7");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=5e12 dtype=fp8",
         "0-10 ideal 2500000 @7; 0-10 inefficiency 17500000 @7");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=5e12 dtype=int8",
         "0-10 unrated 20000000 @7; unknown_dtype*1 j");
  expect(HELD "programs program=f flops=1e12 bytes=3e9 dtype=fp8\n"
              "spans job=j kind=step start_time=0 end_time=10 program=f",
         "0-10 ideal 500000 @8; 0-10 inefficiency 19500000 @8");
  expect(HELD "programs program=f flops=1e12 bytes=3e9 dtype=fp8\n"
              "spans job=j kind=step start_time=0 end_time=10 program=f executions=3",
         "0-10 ideal 1500000 @8; 0-10 inefficiency 18500000 @8");
  expect(HELD "programs program=f flops=1e12 bytes=3e9 dtype=fp8\n"
              "spans job=j kind=step start_time=0 end_time=10 program=f executions=3 flops=2e12 "
              "dtype=bf16",
         "0-10 ideal 2000000 @8; 0-10 inefficiency 18000000 @8");
  expect(HELD "programs program=f flops=1e12 bytes=3e9 dtype=fp8\n"
              "spans job=j kind=serve start_time=0 end_time=10 program=g",
         "0-10 unrated 20000000 @8; unknown_program*1 j");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10", "0-10 unrated 20000000 @7");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=3e13",
         "0-10 ideal 30000000 @7; 0-10 inefficiency -10000000 @7; "
         "above_roofline*1 j up to 1.5 on c at its default peak, bf16");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=4e24",
         "0-10 unrated 20000000 @7");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=3.9e24",
         "0-10 ideal 3899999999999999488 @7; 0-10 inefficiency -3899999999979999488 @7; "
         "above_roofline*1 j up to 1.95e+11 on c at its default peak, bf16");
  expect("jobs job=j\n"
         "allocations job=j pool=q chips=2 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=1e12",
         "0-10 unrated 20000000 @7");
  expect("jobs job=j\n"
         "capacity pool=q chip=e chips=2 start_time=0\n"
         "allocations job=j pool=q chips=2 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=1e12",
         "0-10 unrated 20000000 @8; unknown_chip*1 j");
  expect("jobs job=j\n"
         "capacity pool=q chip=e chips=2 start_time=0\n"
         "allocations job=j pool=q chips=2 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10",
         "0-10 unrated 20000000 @8");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=2e13",
         "0-10 ideal 20000000 @7");
  expect(HELD "spans job=j kind=step start_time=5 end_time=5 flops=1",
         "0-5 unknown 10000000 @6; 5-10 unknown 10000000 @6; hidden_span*1 j");
  expect("chips chip=t dtype=bf16 peak_flops=1 hbm_bytes_per_s=1\n"
         "jobs job=j\n"
         "capacity pool=q chip=t chips=2 start_time=0\n"
         "allocations job=j pool=q chips=2 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=3",
         "0-10 ideal 3000000 @9; 0-10 inefficiency 17000000 @9");
  expect(HELD "spans job=j kind=step start_time=0 end_time=1 flops=1e12 dtype=bf16\n"
              "spans job=j kind=step start_time=1 end_time=2 flops=1e12 dtype=y1\n"
              "spans job=j kind=step start_time=2 end_time=3 flops=1e12 dtype=y2\n"
              "spans job=j kind=step start_time=3 end_time=4 flops=1e12 dtype=y3\n"
              "spans job=j kind=step start_time=4 end_time=5 flops=1e12 dtype=y4\n"
              "spans job=j kind=step start_time=5 end_time=6 flops=1e12 dtype=y5\n"
              "spans job=j kind=step start_time=6 end_time=7 flops=1e12 dtype=y6\n"
              "spans job=j kind=step start_time=7 end_time=8 flops=1e12 dtype=y7\n"
              "spans job=j kind=step start_time=8 end_time=9 flops=1e12 dtype=fp8",
         "0-1 ideal 1000000 @7; 0-1 inefficiency 1000000 @7; 1-2 unrated 2000000 @8; "
         "2-3 unrated 2000000 @9; 3-4 unrated 2000000 @10; 4-5 unrated 2000000 @11; "
         "5-6 unrated 2000000 @12; 6-7 unrated 2000000 @13; 7-8 unrated 2000000 @14; "
         "8-9 ideal 500000 @15; 8-9 inefficiency 1500000 @15; 9-10 unknown 2000000 @6; "
         "unknown_dtype*7 j");
}

/* Section 6: the roofline of memory. */
static void test_traffic(void) {
  expect_memory(HELD "spans job=j kind=step start_time=0 end_time=10 flops=5e12 bytes=8e9",
                "0-10 ideal 8000000 @7; 0-10 inefficiency 12000000 @7");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=5e12 bytes=8e9",
         "0-10 ideal 5000000 @7; 0-10 inefficiency 15000000 @7");
  expect_memory(HELD "spans job=j kind=step start_time=0 end_time=10 flops=5e12 bytes=4e9",
                "0-10 ideal 5000000 @7; 0-10 inefficiency 15000000 @7");
  expect_memory(HELD "spans job=j kind=step start_time=0 end_time=10 flops=5e12",
                "0-10 ideal 5000000 @7; 0-10 inefficiency 15000000 @7");
  expect_memory(HELD "spans job=j kind=step start_time=0 end_time=10 flops=5e12 bytes=0",
                "0-10 ideal 5000000 @7; 0-10 inefficiency 15000000 @7");
  expect_memory(HELD "spans job=j kind=step start_time=0 end_time=10 flops=0 bytes=1500000",
                "0-10 ideal 1500 @7; 0-10 inefficiency 19998500 @7");
  expect_memory(HELD "programs program=f flops=1e12 bytes=3e9 dtype=fp8\n"
                     "spans job=j kind=step start_time=0 end_time=10 program=f executions=2",
                "0-10 ideal 6000000 @8; 0-10 inefficiency 14000000 @8");
  expect_memory("jobs job=j\n"
                "capacity pool=q chip=d chips=2 start_time=0\n"
                "allocations job=j pool=q chips=2 start_time=0 end_time=10 outcome=completed\n"
                "spans job=j kind=step start_time=0 end_time=10 flops=4e12 bytes=8e9",
                "0-10 ideal 1000000 @8; 0-10 inefficiency 19000000 @8");
  expect_memory("chips chip=t dtype=bf16 peak_flops=1 hbm_bytes_per_s=1\n"
                "jobs job=j\n"
                "capacity pool=q chip=t chips=2 start_time=0\n"
                "allocations job=j pool=q chips=2 start_time=0 end_time=10 outcome=completed\n"
                "spans job=j kind=step start_time=0 end_time=10 flops=0 bytes=1",
                "0-10 ideal 1000000 @9; 0-10 inefficiency 19000000 @9");
  expect_memory(
      "jobs job=j\n"
      "capacity pool=q chip=d chips=9 start_time=0\n"
      "allocations job=j pool=p task=a chips=1 start_time=0 end_time=10 outcome=completed\n"
      "allocations job=j pool=q task=b chips=1 start_time=0 end_time=10 outcome=completed\n"
      "spans job=j kind=step start_time=0 end_time=10 flops=1e12 bytes=4e9",
      "0-10 ideal 2000000 @9; 0-10 inefficiency 8000000 @9; 0-10 ideal 125000 @9; "
      "0-10 inefficiency 9875000 @9");
}

/* Section 6: a span's ideal is shared by its parts, and what is not the job's is left out. */
static void test_parts(void) {
  expect(HELD "spans job=j kind=step start_time=0 end_time=9 flops=1e7\n"
              "spans job=j kind=checkpoint start_time=2 end_time=3\n"
              "spans job=j kind=checkpoint start_time=5 end_time=7",
         "0-2 ideal 3 @7; 0-2 inefficiency 3999997 @7; 2-3 checkpoint 2000000 @8; 3-5 ideal 3 @7; "
         "3-5 inefficiency 3999997 @7; 5-7 checkpoint 4000000 @9; 7-9 ideal 4 @7; "
         "7-9 inefficiency 3999996 @7; 9-10 unknown 2000000 @6");
  expect(HELD "spans job=j kind=step start_time=0 end_time=9 flops=1e7\n"
              "spans job=j kind=step start_time=0 end_time=9 flops=2e7",
         "0-9 ideal 10 @7; 0-9 inefficiency 17999990 @7; 9-10 unknown 2000000 @6; hidden_span*1 j");
  expect(HELD "spans job=j kind=step start_time=0 end_time=9\n"
              "spans job=j kind=step start_time=0 end_time=9 flops=0\n"
              "spans job=j kind=step start_time=0 end_time=8 flops=1e12",
         "0-8 ideal 1000000 @9; 0-8 inefficiency 15000000 @9; 8-9 unrated 2000000 @7; "
         "9-10 unknown 2000000 @6");
  expect(HELD "spans job=j kind=step start_time=5 end_time=5 flops=1e7",
         "0-5 unknown 10000000 @6; 5-10 unknown 10000000 @6; hidden_span*1 j");
  expect("jobs job=j chips=2\n"
         "allocations job=j pool=p task=a chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=p task=b chips=1 start_time=5 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=4e12 bytes=4e9",
         "0-5 partial 5000000 @6; 5-10 ideal 2000000 @8; 5-10 inefficiency 8000000 @8; "
         "0-5 queued 5000000; span_outside_allocation*1 j");
  expect_memory(
      "jobs job=j chips=2\n"
      "allocations job=j pool=p task=a chips=1 start_time=0 end_time=10 outcome=completed\n"
      "allocations job=j pool=p task=b chips=1 start_time=5 end_time=10 outcome=completed\n"
      "spans job=j kind=step start_time=0 end_time=10 flops=1e12 bytes=4e9",
      "0-5 partial 5000000 @6; 5-10 ideal 2000000 @8; 5-10 inefficiency 8000000 @8; "
      "0-5 queued 5000000; span_outside_allocation*1 j");
  expect_with(HELD "spans job=j kind=serve start_time=0 end_time=10 flops=4e12 bytes=8e9",
              (choices){.as_of = 5}, "0-5 ideal 2000000 @7; 0-5 inefficiency 8000000 @7");
  expect_with(HELD "spans job=j kind=serve start_time=0 end_time=10 flops=4e12 bytes=8e9",
              (choices){.memory = true, .as_of = 5},
              "0-5 ideal 4000000 @7; 0-5 inefficiency 6000000 @7");
  expect(HELD "spans job=j kind=step start_time=1 end_time=7 flops=1e7",
         "0-1 unknown 2000000 @6; 1-7 ideal 10 @7; 1-7 inefficiency 11999990 @7; "
         "7-10 unknown 6000000 @6");
  expect(HELD "spans job=j kind=step start_time=1 end_time=7 flops=1e7\n"
              "spans job=j kind=checkpoint start_time=3 end_time=5",
         "0-1 unknown 2000000 @6; 1-3 ideal 5 @7; 1-3 inefficiency 3999995 @7; "
         "3-5 checkpoint 4000000 @8; 5-7 ideal 5 @7; 5-7 inefficiency 3999995 @7; "
         "7-10 unknown 6000000 @6");
}

/* Section 6: work on several pools and kinds of chip. */
static void test_lanes(void) {
  expect("jobs job=j\n"
         "capacity pool=q chip=d chips=2 start_time=0\n"
         "allocations job=j pool=p task=a chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=q task=b chips=3 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=8e12",
         "0-10 ideal 2000000 @9; 0-10 inefficiency 8000000 @9; 0-10 ideal 1500000 @9; "
         "0-10 inefficiency 28500000 @9");
  expect("jobs job=j\n"
         "capacity pool=q chip=c chips=2 start_time=0\n"
         "allocations job=j pool=p task=a chips=1 start_time=0 end_time=9 outcome=completed\n"
         "allocations job=j pool=q task=b chips=2 start_time=0 end_time=9 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=9 flops=1.1e7",
         "0-9 ideal 3 @9; 0-9 inefficiency 8999997 @9; 0-9 ideal 8 @9; "
         "0-9 inefficiency 17999992 @9");
  expect("jobs job=j\n"
         "capacity pool=q chip=c chips=2 start_time=0 end_time=3\n"
         "capacity pool=q chip=d chips=2 start_time=3 end_time=7\n"
         "capacity pool=q chip=c chips=2 start_time=7\n"
         "allocations job=j pool=q chips=2 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=1 end_time=9 flops=16e6\n"
         "spans job=j kind=eval start_time=2 end_time=4",
         "0-1 unknown 2000000 @9; 1-2 ideal 2 @10; 1-2 inefficiency 1999998 @10; "
         "2-3 eval 2000000 @11; 3-4 eval 2000000 @11; 4-7 ideal 2 @10; "
         "4-7 inefficiency 5999998 @10; 7-9 ideal 6 @10; 7-9 inefficiency 3999994 @10; "
         "9-10 unknown 2000000 @9");
  expect("jobs job=j\n"
         "capacity pool=q chip=d chips=2 start_time=0\n"
         "allocations job=j pool=p task=a chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=q task=b chips=1 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=8e13",
         "0-10 ideal 40000000 @9; 0-10 inefficiency -30000000 @9; 0-10 ideal 10000000 @9; "
         "above_roofline*1 j up to 2.5");
  expect("jobs job=j\n"
         "capacity pool=q chip=e chips=2 start_time=0\n"
         "allocations job=j pool=p task=a chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=q task=b chips=1 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=2e12",
         "0-10 ideal 1000000 @9; 0-10 inefficiency 9000000 @9; 0-10 unrated 10000000 @9; "
         "unknown_chip*1 j");
  expect("jobs job=j\n"
         "allocations job=j pool=p task=a chips=0.5 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=p task=b chips=0.25 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=9 flops=1e12",
         "0-9 ideal 1000000 @8; 0-9 inefficiency 5750000 @8; 9-10 unknown 750000 @7");
  expect("jobs job=j\n"
         "capacity pool=q chip=c chips=9 start_time=0 end_time=3\n"
         "capacity pool=q chip=d chips=9 start_time=3 end_time=7\n"
         "capacity pool=q chip=c chips=9 start_time=7\n"
         "allocations job=j pool=q task=a chips=2 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=4 end_time=9 flops=10e6",
         "0-3 unknown 6000000 @9; 3-4 unknown 2000000 @9; 4-7 ideal 2 @10; "
         "4-7 inefficiency 5999998 @10; 7-9 ideal 4 @10; 7-9 inefficiency 3999996 @10; "
         "9-10 unknown 2000000 @9");
  expect("jobs job=j\n"
         "capacity pool=q chip=c chips=9 start_time=0\n"
         "capacity pool=r chip=c chips=9 start_time=0\n"
         "allocations job=j pool=p task=a chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=q task=b chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=r task=c chips=1 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=10e6",
         "0-10 ideal 3 @11; 0-10 inefficiency 9999997 @11; 0-10 ideal 3 @11; "
         "0-10 inefficiency 9999997 @11; 0-10 ideal 4 @11; 0-10 inefficiency 9999996 @11");
  expect("jobs job=j\n"
         "capacity pool=q chip=c chips=9 start_time=0\n"
         "capacity pool=r chip=c chips=9 start_time=0\n"
         "allocations job=j pool=p task=a chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=q task=b chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=r task=c chips=1 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=6e13",
         "0-10 ideal 20000000 @11; 0-10 inefficiency -10000000 @11; 0-10 ideal 20000000 @11; "
         "0-10 inefficiency -10000000 @11; 0-10 ideal 20000000 @11; "
         "0-10 inefficiency -10000000 @11; "
         "above_roofline*1 j up to 2 on c at its default peak, bf16");
  expect("jobs job=j\n"
         "capacity pool=q chip=c chips=9 start_time=0\n"
         "capacity pool=r chip=d chips=9 start_time=0\n"
         "allocations job=j pool=p task=a chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=q task=b chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=r task=c chips=1 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=9e13",
         "0-10 ideal 30000000 @11; 0-10 inefficiency -20000000 @11; 0-10 ideal 30000000 @11; "
         "0-10 inefficiency -20000000 @11; 0-10 ideal 7500000 @11; 0-10 inefficiency 2500000 @11; "
         "above_roofline*1 j up to 2.25");
  expect("jobs job=j\n"
         "capacity pool=q chip=d chips=9 start_time=0\n"
         "capacity pool=r chip=d chips=9 start_time=0\n"
         "allocations job=j pool=p task=a chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=q task=b chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=r task=c chips=1 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=9e13",
         "0-10 ideal 30000000 @11; 0-10 inefficiency -20000000 @11; 0-10 ideal 7500000 @11; "
         "0-10 inefficiency 2500000 @11; 0-10 ideal 7500000 @11; 0-10 inefficiency 2500000 @11; "
         "above_roofline*1 j up to 1.5");
  expect("jobs job=j\n"
         "capacity pool=q chip=e chips=9 start_time=0\n"
         "allocations job=j pool=p task=a chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=q task=b chips=1 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=4e13",
         "0-10 ideal 20000000 @9; 0-10 inefficiency -10000000 @9; 0-10 unrated 10000000 @9; "
         "unknown_chip*1 j");
  expect("jobs job=j\n"
         "capacity pool=q chip=d chips=9 start_time=0\n"
         "allocations job=j pool=p task=a chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=q task=b chips=1 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=3 flops=2e12\n"
         "spans job=j kind=input start_time=3 end_time=4\n"
         "spans job=j kind=serve start_time=4 end_time=8 flops=4e12\n"
         "spans job=j kind=serve start_time=8 end_time=10",
         "0-3 ideal 1000000 @9; 0-3 inefficiency 2000000 @9; 0-3 ideal 250000 @9; "
         "0-3 inefficiency 2750000 @9; 3-4 input 1000000 @10; 3-4 input 1000000 @10; "
         "4-8 ideal 2000000 @11; 4-8 inefficiency 2000000 @11; 4-8 ideal 500000 @11; "
         "4-8 inefficiency 3500000 @11; 8-10 unrated 2000000 @12; 8-10 unrated 2000000 @12");
}

int main(void) {
  test_ideal();
  test_traffic();
  test_parts();
  test_lanes();
  return check_done("rating");
}
