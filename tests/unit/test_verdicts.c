/*
** test_verdicts.c - what each time of a job is called, for what cause and on what evidence: the
** cases of docs/rules.md, sections 3, 4, 5 and 7.
*/
#include "verdicts.h"

/* Section 4: the categories of kinds, and of time that no span explains. */
static void test_kinds(void) {
  expect(HELD "spans job=j kind=init start_time=0 end_time=1\n"
              "spans job=j kind=prep start_time=1 end_time=2\n"
              "spans job=j kind=compile start_time=2 end_time=3\n"
              "spans job=j kind=restore start_time=3 end_time=4\n"
              "spans job=j kind=input start_time=4 end_time=5\n"
              "spans job=j kind=checkpoint start_time=5 end_time=6\n"
              "spans job=j kind=eval start_time=6 end_time=7\n"
              "spans job=j kind=hang start_time=7 end_time=8\n"
              "spans job=j kind=lunch start_time=8 end_time=9",
         "0-1 startup 2000000 @7; 1-2 startup 2000000 @8; 2-3 compile 2000000 @9; "
         "3-4 restore 2000000 @10; 4-5 input 2000000 @11; 5-6 checkpoint 2000000 @12; "
         "6-7 eval 2000000 @13; 7-8 stall(hang) 2000000 @14; 8-9 stall(lunch) 2000000 @15; "
         "9-10 unknown 2000000 @6");
  expect(HELD, "0-10 untraced 20000000 @6");
  expect("jobs job=j phase=serving\n"
         "allocations job=j pool=p chips=2 start_time=0 end_time=10\n"
         "spans job=j kind=serve start_time=2 end_time=3",
         "0-2 stall(no_traffic) 4000000 @6; 2-3 unrated 2000000 @7; "
         "3-10 stall(no_traffic) 14000000 @6");
  expect("jobs job=j phase=serving\n"
         "allocations job=j pool=p chips=2 start_time=0 end_time=10\n"
         "spans job=j kind=step start_time=2 end_time=3\n"
         "commits job=j snapshot_time=5 durable_time=5",
         "0-2 unknown 4000000 @6; 2-3 unrated 2000000 @7; 3-10 unknown 14000000 @6");
  expect("jobs job=j phase=training\n"
         "allocations job=j pool=p chips=2 start_time=0 end_time=10\n"
         "spans job=j kind=serve start_time=2 end_time=3",
         "0-2 unknown 4000000 @6; 2-3 unrated 2000000 @7; 3-10 unknown 14000000 @6");
  expect("jobs job=j\n"
         "allocations job=j pool=p chips=2 start_time=0 end_time=10 outcome=node_fail\n"
         "spans job=j kind=init start_time=2 end_time=3\n"
         "spans job=j kind=eval start_time=5 end_time=6",
         "0-2 unknown 4000000 @6; 2-3 startup 2000000 @7; 3-5 unknown 4000000 @6; "
         "5-6 eval 2000000 @8; 6-10 stall(node_fail) 8000000 @6");
  expect("jobs job=j\n"
         "allocations job=j pool=p chips=2 start_time=0 end_time=10 outcome=failed\n"
         "spans job=j kind=init start_time=2 end_time=3",
         "0-2 unknown 4000000 @6; 2-3 startup 2000000 @7; 3-10 unknown 14000000 @6");
  expect("jobs job=j\n"
         "allocations job=j pool=p chips=2 attempt=1 start_time=0 end_time=10 outcome=node_fail\n"
         "allocations job=j pool=p chips=2 attempt=2 start_time=10 end_time=20 outcome=node_fail\n"
         "spans job=j kind=init attempt=1 start_time=2 end_time=3",
         "0-2 unknown 4000000 @6; 2-3 startup 2000000 @8; 3-10 stall(node_fail) 14000000 @6; "
         "10-20 unknown 20000000 @7");
  expect("jobs job=j\n"
         "allocations job=j pool=p chips=2 start_time=0 end_time=10\n"
         "commits job=j step=1 snapshot_time=5",
         "0-10 unknown 20000000 @6");
}

/* Section 5: what became of steps. */
static void test_steps(void) {
  expect("jobs job=j\n"
         "allocations job=j pool=p chips=2 start_time=0 end_time=10 outcome=failed\n"
         "spans job=j kind=step step=1 start_time=0 end_time=4\n"
         "spans job=j kind=step step=2 start_time=4 end_time=8\n"
         "commits job=j step=1 snapshot_time=4 durable_time=5",
         "0-4 unrated 8000000 @7; 4-8 lost 8000000 @8; 8-10 unknown 4000000 @6");
  expect(
      "jobs job=j\n"
      "allocations job=j pool=p chips=2 start_time=0\n"
      "spans job=j kind=step step=1 start_time=0 end_time=4\n"
      "spans job=j kind=batch step=2 start_time=4 end_time=8\n"
      "commits job=j step=1 snapshot_time=4 durable_time=5",
      "0-4 unrated 8000000 @7; 4-8 pending 8000000 @8; 8-100 unknown 184000000 @6; as_of_ahead*1");
  expect("jobs job=j\n"
         "allocations job=j pool=p chips=2 start_time=0 end_time=10 outcome=failed\n"
         "spans job=j kind=step step=1 start_time=0 end_time=4",
         "0-4 unknown(no_checkpoint_data) 8000000 @7; 4-10 unknown 12000000 @6");
}

/* Sections 3 and 7: chips that are not at work, and the demand that is not met. */
static void test_held(void) {
  expect("jobs job=j chips=4 submit_time=0\n"
         "allocations job=j pool=p task=a chips=2 start_time=2 end_time=10\n"
         "allocations job=j pool=p task=b chips=3 start_time=4 end_time=8",
         "2-4 partial 4000000 @6; 4-8 untraced 16000000 @7; 4-8 partial(surplus) 4000000 @7; "
         "8-10 partial 4000000 @7; 0-2 queued 8000000; 2-4 queued 4000000; 8-10 queued 4000000");
  expect("jobs job=j chips=2 tasks=2\n"
         "allocations job=j pool=p task=a chips=1.5 start_time=0 end_time=10\n"
         "allocations job=j pool=q task=b chips=1.25 start_time=3 end_time=8",
         "0-3 partial 4500000 @6; 3-8 untraced 7500000 @6; 3-8 untraced 2500000 @7; "
         "3-8 partial(surplus) 3750000 @7; 8-10 partial 3000000 @6; 0-3 queued 1500000; "
         "8-10 queued 1000000");
  expect_with("jobs job=j chips=2 submit_time=1", (choices){.evidence = true},
              "1-100 queued 198000000 [    1 ]");
  expect("jobs job=j chips=4 submit_time=0\n"
         "capacity pool=q chip=c chips=4 start_time=0 end_time=3\n"
         "capacity pool=q chip=d chips=4 start_time=3 end_time=100\n"
         "allocations job=j pool=q chips=4 start_time=6 end_time=8",
         "6-8 untraced 8000000 @8; 0-3 queued 12000000; 3-6 queued 12000000");
  expect_with("jobs job=j\n"
              "allocations job=j pool=p chips=0.000001 start_time=0 end_time=10 outcome=completed",
              (choices){.all = true},
              "0-10 untraced 10 @6; 0-10 idle 89999990; 10-100 idle 810000000");
  expect_with(
      "jobs job=j chips=2 submit_time=0\n"
      "programs program=f flops=1e12\n"
      "allocations job=j pool=p attempt=3 chips=2 start_time=1 end_time=4 outcome=preempted\n"
      "allocations job=j pool=p attempt=7 chips=3 start_time=5 end_time=9 outcome=completed\n"
      "spans job=j kind=step step=11 program=f start_time=1 end_time=2\n"
      "spans job=j kind=step step=12 program=f start_time=5 end_time=9\n"
      "spans job=j kind=eval start_time=6 end_time=7",
      (choices){.evidence = true},
      "1-2 ideal 1000000 @9 [3 step 11 f 1 c]; 1-2 inefficiency 1000000 @9 [3 step 11 f 1 c]; "
      "2-4 unknown 4000000 @7 [3    1 c]; 5-6 ideal 333333 @10 [7 step 12 f 1 c]; "
      "5-6 inefficiency 1666667 @10 [7 step 12 f 1 c]; 6-7 eval 2000000 @11 [7 eval   1 c]; "
      "7-9 ideal 666667 @10 [7 step 12 f 1 c]; 7-9 inefficiency 3333333 @10 [7 step 12 f 1 c]; "
      "5-9 partial(surplus) 4000000 @8 [7    1 c]; 0-1 queued 2000000 [    1 c]; "
      "4-5 queued 2000000 [    1 c]");
  expect_with("jobs job=j chips=300 submit_time=0\n"
              "allocations job=j pool=p chips=4 start_time=0 end_time=1",
              (choices){.evidence = true},
              "0-1 partial 4000000 @6 [1    3 c]; 0-1 queued 296000000 [    3 c]");
  expect_with("jobs job=j\n"
              "allocations job=j pool=p chips=16 start_time=0 end_time=1",
              (choices){.evidence = true}, "0-1 untraced 16000000 @6 [1    2 c]");
  expect("allocations job=j pool=p chips=2 start_time=0 end_time=1",
         "0-1 untraced 2000000 @5; unknown_job*1 j");
  expect("spans job=j kind=step start_time=0 end_time=1", "; span_without_allocation*1 j");
  expect("jobs job=j\n"
         "allocations job=j pool=p task=a chips=2 start_time=0 end_time=1\n"
         "allocations job=j pool=p task=a chips=2 start_time=0 end_time=1",
         "0-1 untraced 4000000 @7; duplicate_allocation*1 j");
  expect("jobs job=j\n"
         "allocations job=j pool=p attempt=1 chips=2 start_time=0 end_time=2\n"
         "allocations job=j pool=p attempt=2 chips=2 start_time=1 end_time=2",
         "0-2 untraced 4000000 @6; 1-2 untraced 2000000 @7; overlapping_attempts*1 j");
  expect_with("jobs job=i\n"
              "allocations job=i pool=p chips=2 start_time=0 end_time=1 outcome=completed\n"
              "jobs job=j\n"
              "allocations job=j pool=p chips=2 start_time=0 end_time=1 outcome=completed\n"
              "spans job=j kind=step flops=1e12 dtype=int8 start_time=0 end_time=1",
              (choices){.all = true},
              "0-1 untraced 2000000 @6; 0-1 unrated 2000000 @9; 0-1 idle 5000000; 1-100 idle "
              "891000000; "
              "unknown_dtype*1 j");
}

int main(void) {
  test_kinds();
  test_steps();
  test_held();
  return check_done("verdicts");
}
