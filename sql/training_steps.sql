-- training_steps.sql - the steps that the logs of trainers tell, of any of them, in one table.
--
-- Each log's own mapping (sql/formats/maxtext.sql, ...) leaves a TEMP table training_steps; the table below has the
-- rows of all. A column that a trainer does not print is NULL. docs/formats/log.md explains the rules.
--
--@ argument path :path FILES logs of trainers, or event files of TensorBoard: a file, glob, folder or fleet file
--@ argument zone :zone TEXT of times that have none: a name of the tz database; UTC unless given
--@ argument year :year BIGINT of times that have none
--@ argument chip_name :chip TEXT what the job ran on, if the log does not tell: a name or alias of mpg_chips
--@ argument chip_count :chips REAL above 0: how many, if the log does not tell
--@ table trace_training_steps all_steps a row for each step that trainers' logs tell
--@ column job TEXT - as the log's text or name says, else the file
--@ column attempt BIGINT - of the job
--@ column step BIGINT - its number
--@ column start_time REAL s Unix time
--@ column end_time REAL s Unix time
--@ column seconds REAL s that it took
--@ column executions BIGINT - steps that the line stands for
--@ column loss REAL - 
--@ column val_loss REAL - where it is evaluated
--@ column tokens_per_s_per_chip REAL tokens/s 
--@ column samples_per_s REAL samples/s 
--@ column tflops_per_chip REAL TFLOP/s 
--@ column mfu REAL ratio from tflops_per_chip and the chip's peak
--@ column mfu_reported REAL ratio as the log says
--@ column average_ms REAL ms of a step, as nanoGPT averages
--@ column flops REAL flops of all chips together

CREATE TABLE gathered_training_steps(job, attempt, step, start_time, end_time, seconds, executions, loss, val_loss, tokens_per_s_per_chip,
                                     samples_per_s,
                                     tflops_per_chip, mfu, mfu_reported, average_ms, flops);
CREATE TEMP VIEW all_steps AS SELECT * FROM main.gathered_training_steps;
