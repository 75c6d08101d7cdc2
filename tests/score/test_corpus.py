"""A corpus of wrong lines with their columns and whole messages, and of good files."""
from pathlib import Path

import pytest

from pysitar.errors import ScoreError
from pysitar.score.parser import load_score, parse
from pysitar.score.timeline import events, timeline

HEAD = "use tanpura as t\n"
SECTION = "section s\n0 t.pa pluck\nend\n"

# The wrong line (line 2, after a `use`; before a section s), the column (from 1), the message.
BAD_LINES = [
    ("0 t.pa pluk f=0.6N", 8, "pluk is not a verb; did you mean pluck?"),
    ("0 t.pa pluck f=0,6N", 16,
     "0,6N has a stray comma; expected a decimal point, and blanks between values"),
    ("0 t.pa pluck f=0.6N, x=0.4", 16,
     "0.6N, has a stray comma; expected a decimal point, and blanks between values"),
    ("0 t.pa pluck f = 0.6N", 16, "blanks around '='; expected name=value in one piece"),
    ("0 t.pa pluck f= 0.6N", 15, "blanks around '='; expected name=value in one piece"),
    ("0 t.pa pluck f =0.6N", 16, "blanks around '='; expected name=value in one piece"),
    ("0 t.pa pluck f=0.6 N", 20, "a blank between a number and its unit; expected f=0.6N"),
    ("0 t.pa pluck x=1nm", 16,
     "nm is not a unit; did you mean m, cm or mm?"),
    ("0 t.pa pluck f=0.6kN", 16,
     "kN is not a unit; did you mean N, mN or kg?"),
    ("0 t.pa bend (0:sa 1:re/pow0)", 27, "the exponent of pow is 0; expected a number above 0: "
     "pow2 is slow at first, pow0.5 fast at first"),
    ("0 t.pa bend (0:sa 1:re/pow-2)", 27, "the exponent of pow is -2; expected a number above 0: "
     "pow2 is slow at first, pow0.5 fast at first"),
    ("0 t.pa pluck f=2MHz", 16, "MHz is not a unit; did you mean Hz or kHz?"),
    ("0 t.pa pluck f=1_000", 16,
     "1_000 is not a number; expected ASCII digits, one point and e-notation"),
    ("0 t.pa pluck f=nan", 16, "nan is not a number here; expected a finite number"),
    ("0 t.pa pluck f=-inf", 16, "-inf is not a number here; expected a finite number"),
    ("0 t.pa pluck f=1e999", 16, "1e999 is too large; expected a number under 1.8e308"),
    ("0 t.pa pluck f=1.2.3", 16,
     "1.2.3 is not a number; expected ASCII digits, one point and e-notation"),
    ("0 t.pa pluck f=०.६", 16,
     '०.६ is not a value; expected a number with its unit, a pitch, a name or a "text"'),
    ("0 t.pa pluck f=*0.9", 16, "*0.9 is a factor, for play only; expected a plain value"),
    ("0 t.pa pluck f=0.6N f=0.7N", 21, "f is given twice; expected once"),
    ("0 t.pa pluck f=0.6N force=0.7N", 21,
     "force is given twice (f and force are one); expected once"),
    ("0 t.pa pluck f=0.6N re", 21,
     "re is not name=value; expected the pitch right after the verb: pluck re"),
    ("0 t.pa pluck re ga", 17, "ga follows the pitch; expected name=value after the pitch"),
    ("0 t.pa pluck re-14", 14, "re-14 is not a pitch; expected cents with their c: re-14c"),
    ("0 t.pa pluck sa-", 14,
     "sa- is not a degree; expected re- ga- dha- ni- (komal) or ma+ (tivra)"),
    ("0 t.pa pluck pa+", 14, "pa+ is not a degree; expected ma+ (tivra)"),
    ("0 t.pa pluck c#3", 14, "c#3 is not a pitch; expected a capital: C#3"),
    ("0 t.pa pluck C#", 14, "C# is not a pitch; expected an octave: C#4"),
    ("0 t.pa pluck C#10", 14, "C#10 is not a pitch; expected an octave of one digit, 0 to 9"),
    ("0 t.pa pluck 3st", 14,
     "3st is not a pitch; expected semitones from the open string with a sign: +3st"),
    ("0 t.pa pluck 440", 14, "440 is not a pitch; expected a frequency with its unit: 440Hz"),
    ("0 t.pa pluck +5", 14,
     "+5 is not a pitch; expected semitones from the open string with their st: +5st"),
    ("0 t.pa pluck -0.5", 14,
     "-0.5 is not a pitch; expected semitones from the open string with their st: -0.5st"),
    ("0 t.pa pluck 0Hz", 14, "0Hz is not a pitch; expected a finite frequency above 0 Hz"),
    ("0 t.pa pluck Re", 14, "Re is not a pitch; expected small letters: re"),
    ("0 t.pa pluck so", 14,
     "so is not a pitch; expected sa re- re ga- ga ma ma+ pa dha- dha ni- ni, C#3, 440Hz or +3st"),
    ("0 t.pa fret", 12, "fret needs its pitch; expected fret ga"),
    ("0 t.pa damp re", 13, "damp takes no pitch, and re is not name=value; expected no pitch"),
    ("0 t.pa damp t60=200ms dur=1m", 27,
     "1m is not a duration; expected beats without a unit (2, 1/3), s or ms (200ms)"),
    ("0 t.pa pluck dur=-1", 18, "the duration -1 is below 0; expected 0 or more"),
    ("0 t.pa strum", 3,
     "strum plays the strings of an instrument; expected t, or some of them, t.a*"),
    ("0 t.pa fret 3", 13, "3 is not a pitch; expected a pitch, such as fret ga or fret +3st; press "
     "has fret=3"),
    ("0 t.pa press 3", 14, "3 is not a pitch; expected the number of a fret, press fret=3, or of "
     "a membrane press tension=1.5"),
    ("0 t.pa", 7,
     "the verb is missing; expected one of pluck, strike, fret, bend, press, damp, bow, strum, "
     "drop, roll, throw"
     ),
    ("0", 2, "the target is missing; expected TIME TARGET VERB: 0 t.pa pluck"),
    ("0 q.pa pluck", 3, "no instrument is named q; expected t"),
    ("0 t..pa pluck", 5, "a part of t..pa is missing; expected parts joined by one point: t.pa"),
    ("0 t.p-a pluck", 5, "p-a is not a name; expected letters, digits and _, no digit first"),
    ("0 t.pa.x pluck", 8,
     "t.pa.x has 3 parts; expected an instrument or one of its strings: t or t.pa"),
    ("0 *.pa pluck", 3,
     "* is in the place of an instrument; expected it in the place of a string: t.*"),
    ("0 t.set pluck", 5, "set is a reserved word; expected another name"),
    ("-1 t.pa pluck", 1, "-1 is before the start; expected a time of 0 or later"),
    ("-0.5s t.pa pluck", 1, "-0.5s is before the start; expected a time of 0 or later"),
    ("1.5 s t.pa pluck", 5, "a blank between a number and its unit; expected 1.5s"),
    ("1.5mm t.pa pluck", 1,
     "1.5mm is not a time; expected beats without a unit (4), s or ms (1.5s, 250ms)"),
    ("1/0 t.pa pluck", 1, "1/0 divides by 0; expected a number from 1 after /"),
    ("+1/x t.pa pluck", 2,
     "1/x is not a fraction of beats; expected whole numbers: 1/3 or 2+1/3"),
    ("0 t.pa rst", 8, "rst is not a verb; did you mean rest?"),
    ("0 t.pa rest f=1N", 13, "rest has no f; expected its dur alone: rest dur=2"),
    ("0 t.pa rest re", 13, "rest takes no pitch, and re is not name=value; expected no pitch"),
    ("grace t.pa pluck", 1,
     "no note follows this grace note in its section; expected a row below it"),
    ("let f", 6, "= is missing; expected let NAME = VALUE"),
    ("let f =", 8, "the value is missing; expected let f = 0.5N"),
    ("let use = 3", 5, "use is a reserved word; expected another name for the value"),
    ("let f ~ unifrm(0, 1)", 9, "unifrm is not a distribution; did you mean uniform?"),
    ("let f ~ uniform(0, 1N)", 20, "one value is in no unit, and this one in N; expected one unit"),
    ("let f ~ uniform(1, 0)", 20,
     "the upper end is not above the lower one; expected the lower end first"),
    ("let f ~ uniform(0)", 9, "uniform has 1 values; expected 2: uniform(0, 30)"),
    ("let f ~ normal(0, 0)", 19, "the deviation is 0; expected more than 0"),
    ("let f ~ normal(0, 1) max=x", 26,
     "x is not a number; expected numbers with their units, and commas between"),
    ("let f ~ uniform(0, 1) max=2", 23, "uniform has its limits already; expected no max"),
    ("let f ~ choice()", 16, "choice has 0 items; expected 1 to 10000: choice(sa ga pa)"),
    ("{i} t.pa pluck", 2, "no value is named i; expected let NAME = ... above"),
    ("0 t.pa pluck f={1 + }", 21, "a value is missing; expected numbers, names, + - * / and "
     "parentheses: {2 * i + 1}"),
    ("0 t.pa pluck f={1N + 1}", 20,
     "N and no unit do not add; expected the same kind of unit on both sides"),
    ("0 t.pa pluck f={1N * 1N}", 20,
     "N times N is no unit of a score; expected a bare number on one side"),
    ("0 t.pa pluck f={1/0}", 18, "a division by 0; expected another divisor"),
    ("0 t.pa pluck f={(1}", 17, "this parenthesis is not closed; expected ) before }"),
    ("0 t.pa pluck f={1", 16, "this brace is not closed; expected } on the same line"),
    ("0 t.pa pluck f=1}", 17, "this brace was never opened; expected { before it"),
    ("0 t.pa pluck f={{1}}", 17, "a brace inside braces; expected one level"),
    ("repeat 3 as i", 1, "this repeat has no end; expected end on a line of its own"),
    ("swing 60", 7, "swing is 60; expected 10% to 90%, the part of a pair of notes that the first "
     "takes (50%: straight)"),
    ("accent 1 0", 10, "accent is 0; expected a factor from 0.001 to 10, or in %"),
    ("humanise tme=8ms", 10, "humanise has no tme; did you mean time?"),
    ("humanise force=30%", 16, "force is 30%; expected 0 to 25%"),
    ("humanise pitch=3mm", 16, "pitch: 3mm is a length; expected an interval in c or st or oct"),
    ("1,5 t.pa pluck", 1,
     "1,5 has a stray comma; expected a decimal point, and blanks between values"),
    ("+ t.pa pluck", 1,
     "no earlier event on t.pa in this section; expected a time in beats or seconds"),
    ("+3 t.pa pluck", 1,
     "no earlier event on t.pa in this section; expected a time in beats or seconds"),
    ("3:2 t.pa pluck", 1, "a bar needs a tala; expected a line such as tala tintal"),
    ("0:2 t.pa pluck", 1, "0:2 is before the first matra; expected bar and matra from 1 (1:1)"),
    ("pluck t.pa", 1, "pluck is not a time; expected a row such as 0 t.pa pluck"),
    ("plya s", 1, "plya begins no statement and, without a time, no row; did you mean play?"),
    ("४ t.pa pluck", 1, "४ is not a time; expected a row such as 0 t.pa pluck"),
    ("0 t.pa pluck\u00a0f=1", 13,
     "the character U+00A0 is not allowed here; expected spaces or tabs as blanks"),
    ('0 t.pa pluck f="abc', 16, 'this quote is not closed; expected " on the same line'),
    ("0 t.pa bend (0:re", 13, "this parenthesis is not closed; expected ) on the same line"),
    ("0 t.pa bend 0:re)", 17, "this parenthesis was never opened; expected ( before it"),
    ("0 t.pa bend ((0:re))", 14, "a parenthesis inside a parenthesis; expected one level"),
    ("0 t.pa bend (0:re 1:ga 0.5:re)", 24,
     "this point is before the one to its left; expected times that increase"),
    ("0 t.pa bend (0:re 1:ga/sin)", 24, "sin is not a shape; did you mean lin?"),
    ("0 t.pa press f=(0:1N, 1:2N)", 19,
     "1N, has a stray comma; expected a decimal point, and blanks between values"),
    ("0 t.pa press f=(0:-1N 1:1N/exp)", 23,
     "exp needs values of one sign, none of them 0; expected lin or cos"),
    ("use sitar as t", 14, "t is already another instrument (bad.score:1); expected a new name"),
    ("use tanpura t", 13, "t is in the place of 'as'; expected use tanpura as NAME"),
    ("use tanpura as", 15, "the name is missing; expected use tanpura as NAME"),
    ("use", 4, "the instrument is missing; expected use PRESET as NAME"),
    ("use tanpura as play", 16,
     "play is a reserved word; expected another name for the instrument"),
    ("use tanpura as 2t", 16, "2t is not a name; expected letters, digits and _, no digit first"),
    ("use my/tanpura.toml as u", 5,
     "my/tanpura.toml is not the name of a preset; expected a file in quotes: \"my/tanpura.toml\""),
    ('use "tanpura.txt" as u', 5,
     "tanpura.txt is not an instrument file; expected a name that ends in .toml"),
    ("use tanpura as u gain", 18, "gain is not name=value; expected only name=value here"),
    ("render rat=48000", 8, "render has no option rat; did you mean rate?"),
    ("render scheme=two-point", 8,
     "render has no option scheme; expected it with use, use sitar as s scheme=..."),
    ("render tone=2kHz", 8,
     "render has no option tone; expected it with use, use sitar as s tone=..."),
    ("render pickup_q=2", 8,
     "render has no option pickup_q; expected it with use, use sitar as s pickup_q=..."),
    ("render rate = 48000", 13, "blanks around '='; expected name=value in one piece"),
    ("render rate=48000 rate=44100", 19, "rate is given twice; expected once"),
    ("render", 7,
     "render has no options; expected one of rate, oversample, tail, floor, fade, seed, channels, "
     "peak"),
    ("tempo", 6, "the tempo is missing; expected tempo 60, tempo 16 60, or tempo 16 52 -> 60 @ 24"),
    ("tempo 0", 7, "the tempo is 0; expected beats per minute above 0"),
    ("tempo -60", 7, "the tempo is -60; expected beats per minute above 0"),
    ("tempo 60bpm", 7,
     "bpm is not a unit; expected a unit such as s, m, N, Hz, kg, dB, c, m/s, deg, LUFS, "
     "or a bare number"),
    ("tempo 4s 60", 7, "4s has a unit; expected a bare number"),
    ("tempo -1 60", 7, "beat -1 is before 0; expected a beat of 0 or later"),
    ("tempo 60 -> 120 @ 8", 7,
     "the beat where the ramp begins is missing; expected tempo BEAT BPM -> BPM @ BEAT, such as "
     "tempo 0 60 -> 120 @ 8"
     ),
    ("tempo 60 -> 120", 7,
     "the beat where the ramp begins is missing; expected tempo BEAT BPM -> BPM @ BEAT"),
    ("tempo 16 52 60", 13,
     "60 is in the place of ->; expected tempo 60, tempo 16 60, or tempo 16 52 -> 60 @ 24"),
    ("tempo 16 52 -> 60", 18,
     "@ is missing; expected tempo 60, tempo 16 60, or tempo 16 52 -> 60 @ 24"),
    ("tempo 16 52 -> 60 @ 16", 21,
     "the ramp ends at beat 16, not after its start; expected a later beat"),
    ("tuning", 7, "the tuning is missing; expected tuning sa=C#3 just"),
    ("tuning sa=C#3 jst", 15, "jst is not a tuning; did you mean just?"),
    ("tuning sa=re just", 11, "sa cannot be re; expected an absolute pitch: C#3 or 138.6Hz"),
    ("tuning sa=C#3 edo", 18, "the number of steps is missing; expected edo 12"),
    ("tuning sa=C#3 edo 0", 19, "the number is 0; expected a whole number from 1 to 1000"),
    ("tuning sa=C#3 edo 1001", 19, "the number is 1001; expected a whole number from 1 to 1000"),
    ("tuning sa=C#3 edo 22.5", 19, "the number is 22.5; expected a whole number from 1 to 1000"),
    ("tuning just sa=C#3", 13, "sa=C#3 follows the scale; expected sa= before the scale"),
    ('tuning sa=C#3 scala "nowhere.scl"', 21,
     "nowhere.scl cannot be read (No such file or directory); expected an existing .scl file"),
    ("tala tintaal", 6, "tintaal is not a tala or a sum of groups (5+5+2); did you mean tintal?"),
    ("tala 5 + 5", 8, "+ follows the tala; expected tala 5+5+2 without blanks"),
    ("end", 1, "end without a section; expected section NAME before it"),
    ("section x y\nend", 11, "y follows the name of the section; expected the end of the line"),
    ("section\nend", 8, "the name of the section is missing; expected section NAME"),
    ("section play\nend", 9, "play is a reserved word; expected another name for the section"),
    ("section x", 1, "section x has no end; expected end on a line of its own"),
    ("play nothing", 6, "no section is named nothing; expected s"),
    ("play", 5, "the section is missing; expected play NAME at=0 times=3"),
    ("play s at=-1", 11, "-1 is before the start; expected a time of 0 or later"),
    ("play s at=+", 11,
     "+ is relative to the last event, for rows only; expected beats or seconds (1.5s)"),
    ("play s times=0", 14, "times is 0; expected a whole number from 1 to 1000000000"),
    ("play s times=10000000000", 14,
     "times is 10000000000; expected a whole number from 1 to 1000000000"),
    ("play s times=1.5", 14, "times is 1.5; expected a whole number from 1 to 1000000000"),
    ("play s every=0", 14, "every is 0; expected a length above 0"),
    ("play s f=0.9", 10,
     "0.9 is not a factor; expected *0.9 (every repeat) or *0.9^ (compounding)"),
    ("play s f=*0", 10, "the factor is 0; expected a number other than 0"),
    ("play s transpose=2m", 18, "2m is a length; expected an interval in c or st or oct"),
    ("play s evry=2", 8, "play has no evry; did you mean every?"),
    ("set t.pa.pluck.force 3", 22, "3 is in the place of =; expected set PATH = VALUE"),
    ("set t.pa.pluck.force =", 23, "a value is missing; expected set PATH = VALUE"),
    ("set t.pa.pluck.force = 3 4", 26, "4 follows the value; expected one value"),
    ("set t = 3", 5, "t is an instrument; expected the path of a parameter, t.gain"),
    ("set q.pa.pluck.force = 3", 5, "no instrument is named q; expected t"),
    ("mix t pan=1.5", 11, "pan is 1.5; expected -1 (left) to 1 (right)"),
    ("mix t gain=3N", 12, "gain: 3N is a force; expected a level in dB"),
    ("mix t gian=-3dB", 7, "mix has no gian; did you mean gain?"),
    ("mix t", 6, "gain or pan is missing; expected mix t gain=-3dB pan=0"),
    ("include coda.score", 9, 'coda.score is not quoted; expected "coda.score"'),
    ('include "nowhere.score"', 9,
     "nowhere.score cannot be read (No such file or directory); expected an existing .score file"),
    ('include "nowhere.txt"', 9, "nowhere.txt does not end in .score; expected a .score file"),
    ("sweep t.pa.pluck.force = linear(1, 2)", 26,
     "linear has 2 values; expected start, end and count: linear(0.1, 0.4, 4)"),
    ("sweep t.pa.pluck.force = linar(1, 2, 3)", 26, "linar is not a range; did you mean linear?"),
    ("draw t.pa.pluck.force ~ uniform(2, 1) n=3", 36,
     "the upper end is not above the lower one; expected the lower end first"),
    ("draw t.pa.pluck.force ~ loguniform(-1, 1) n=3", 36,
     "a logarithmic range includes 0; expected both ends above 0, or both below"),
    ("draw t.pa.pluck.force ~ uniform(1, 2)", 38, "the count is missing; expected n=100"),
    ("0 t.pa pluck x=0.1,", 16,
     "0.1, has a stray comma; expected a decimal point, and blanks between values"),
    ("0 t.pa, pluck", 5, "pa, is not a name; expected letters, digits and _, no digit first"),
    ("0, t.pa pluck", 1,
     "0, has a stray comma; expected a decimal point, and blanks between values"),
    ("0 t.pa pluck, f=1N", 8, "pluck, is not a verb; did you mean pluck?"),
    ("0 t.pa pluck re, f=1N,", 20,
     "1N, has a stray comma; expected a decimal point, and blanks between values"),
    ("0 t.pa pluck ,", 14,
     ", is not a pitch; expected sa re- re ga- ga ma ma+ pa dha- dha ni- ni, C#3, 440Hz or +3st"),
    ("0 t.pa pluck f=1N; x=0.2", 16,
     "N; is not a unit; did you mean N?"),
    ("0 t.pa strike m=1g v=1m/s,", 22,
     "1m/s, has a stray comma; expected a decimal point, and blanks between values"),
    ("0 t.pa pluck f=", 16, "f has no value; expected f=VALUE in one piece"),
    ("0 t.pa pluck f=  # loud", 16, "f has no value; expected f=VALUE in one piece"),
    ("0 t.pa pluck f= x=0.2", 16, "f has no value; expected f=VALUE in one piece"),
    ("0 t.pa pluck f =", 17, "f has no value; expected f=VALUE in one piece"),
    ("0 t.pa pluck f = x=0.2", 17, "f has no value; expected f=VALUE in one piece"),
    ("render rate=", 13, "rate has no value; expected rate=VALUE in one piece"),
    ("tuning sa=", 11, "sa has no value; expected sa=VALUE in one piece"),
    ("tuning sa= just", 11, "sa has no value; expected sa=VALUE in one piece"),
    ("tuning sa= D3 just", 10, "blanks around '='; expected name=value in one piece"),
    ("0 t.pa bend (0:440 1:450Hz)", 14,
     "440 is not a pitch; expected a frequency with its unit: 440Hz"),
    ("0 t.pa bend (0:440Hz 1:45N)", 22,
     "45N is not a pitch; expected sa re- re ga- ga ma ma+ pa dha- dha ni- ni, C#3, 440Hz or +3st"),
    ("0 t.pa pluck q=(1 2 N 3N)", 21, "a blank between a number and its unit; expected 2N"),
    ("0 t.pa pluck =1N", 14, "no name before '='; expected name=value in one piece"),
    ("0 t.pa pluck x=0.2 =1N", 20, "no name before '='; expected name=value in one piece"),
    ("sweep t.gain = linear(1, 2\tN, 3, 4)", 16,
     "linear has 4 values; expected start, end and count: linear(0.1, 0.4, 4)"),
    ("sweep t.gain = linear(1, 2\tN 3)", 26,
     "2 N 3 is not one value; expected commas between values"),
    ("0 t.pa pluck f==1N", 16,
     '=1N is not a value; expected a number with its unit, a pitch, a name or a "text"'),
    ("0 t.pa pluck f=1e", 16,
     "e is not a unit; expected a unit such as s, m, N, Hz, kg, dB, c, m/s, deg, LUFS, "
     "or a bare number"),
    ("0 t.pa pluck f=--1N", 16,
     '--1N is not a value; expected a number with its unit, a pitch, a name or a "text"'),
    ("0 t.pa pluck f=1N/2", 16,
     "N/2 is not a unit; expected a unit such as s, m, N, Hz, kg, dB, c, m/s, deg, LUFS, "
     "or a bare number"),
    ("0 t.pa pluck dur=1Hz", 18,
     "1Hz is not a duration; expected beats without a unit (2, 1/3), s or ms (200ms)"),
    ("0 t.pa pluck dur=sa", 18,
     "sa is not a duration; expected beats without a unit (2, 1/3), s or ms (200ms)"),
    ("0 t.pa bend (0:re 1:)", 21, "a point without a value; expected beat:value"),
    ("0 t.pa bend ()", 13, "empty parentheses; expected values or points beat:value"),
    ("0 t.pa bend (re ga)", 13,
     "this is not a pitch for bend; expected a curve of pitches: (0:re 1:ga)"),
    ("0 t.pa bend (0:re 1:3N)", 19,
     "3N is not a pitch; expected sa re- re ga- ga ma ma+ pa dha- dha ni- ni, C#3, 440Hz or +3st"),
    ("0 t.pa pluck re'''''''''''", 14, "re''''''''''' has 11 octave marks; expected at most 10"),
    ("0 t.pa pluck sa+14", 14, "sa+14 is not a pitch; expected cents with their c: sa+14c"),
    ("0 t.pa pluck H4", 14,
     "H4 is not a pitch; expected sa re- re ga- ga ma ma+ pa dha- dha ni- ni, C#3, 440Hz or +3st"),
    ("0 tempo 60", 3, "tempo is a statement, and a time is before it; expected tempo 4 120"),
    ("0 play s", 3,
     "play is a statement, and a time is before it; expected play at the start of the line"),
    ("tempo 1e9", 7, "the tempo is 1e9; expected 0.001 to 1000000 beats per minute"),
    ("play s times=0x10", 14,
     "x10 is not a unit; expected a unit such as s, m, N, Hz, kg, dB, c, m/s, deg, LUFS, "
     "or a bare number"),
    ("play s at=4st", 11,
     "4st is not a time; expected beats without a unit (4), s or ms (1.5s, 250ms)"),
    ("play s f=*nan", 10,
     "*nan is not a factor; expected *0.9 (every repeat) or *0.9^ (compounding)"),
    ("play s f=*0.9^2", 10,
     "*0.9^2 is not a factor; expected *0.9 (every repeat) or *0.9^ (compounding)"),
    ("mix t gain=loud", 12, "gain is loud; expected a number"),
    ("mix", 4, "the target is missing; expected mix t gain=-3dB pan=0"),
    ("mix t gain=1dB gain=2dB", 16, "gain is given twice; expected once"),
    ("use tanpura as t.pa", 16,
     "t.pa is not a name; expected letters, digits and _, no digit first"),
    ("section a-b\nend", 9, "a-b is not a name; expected letters, digits and _, no digit first"),
    ("end now", 1, "end without a section; expected section NAME before it"),
    ("tala 0", 6,
     "0 is not a tala or a sum of groups (5+5+2); expected one of tintal, jhaptal, ektal, rupak, "
     "keherwa, dadra, dhamar"
     ),
    ("tala 4+", 6,
     "4+ is not a tala or a sum of groups (5+5+2); expected one of tintal, jhaptal, ektal, rupak, "
     "keherwa, dadra, dhamar"
     ),
    ("tala tintal 3", 13, "3 follows the tala; expected tala 5+5+2 without blanks"),
    ("include", 8, 'the file is missing; expected include "coda.score" at=32'),
    ("set t.pa = = 3", 14, "3 follows the value; expected one value"),
    ("set = 3", 5, "the path is missing; expected set PATH = VALUE"),
    ("set t..x = 3", 7, "a part of t..x is missing; expected parts joined by one point: t.pa"),
    ("sweep t.pa.pluck.force = ()", 26, "empty parentheses; expected values or points beat:value"),
    ("sweep t.pa.pluck.force = linear(1, 2, 0)", 39,
     "the number is 0; expected a whole number from 1 to 1000000000"),
    ("sweep t.pa.pluck.force = log(-1, 2, 3)", 30,
     "a logarithmic range includes 0; expected both ends above 0, or both below"),
    ("draw t.pa.pluck.force = uniform(1, 2) n=3", 23,
     "= is in the place of ~; expected draw PATH ~ VALUE"),
    ("draw t.pa.pluck.force ~ normal(1, 2) n=3", 25,
     "normal is not a range; expected one of uniform, loguniform"),
    ("0 t.pa pluck f=0.6N\u200b", 20,
     "the character U+200B is not allowed here; expected spaces or tabs as blanks"),
    ("\u00a00 t.pa pluck", 1,
     "the character U+00A0 is not allowed here; expected spaces or tabs as blanks"),
    ("0 t.pa pluck f=“1N”", 16,
     '“1N” is not a value; expected a number with its unit, a pitch, a name or a "text"'),
    ("०.५ t.pa pluck", 1, "०.५ is not a time; expected a row such as 0 t.pa pluck"),
    ("0 त.प pluck", 3, "no instrument is named त; expected t"),
    ("1e400 t.pa pluck", 1, "1e400 is too large; expected a number under 1.8e308"),
    ("1:99999999999999999999 t.pa pluck", 1,
     "a bar needs a tala; expected a line such as tala tintal"),
    ("0 t.pa pluck h=1mm E3-10c", 20,
     "E3-10c is not name=value; expected the pitch right after the verb: pluck E3-10c"),
    ("0 t.pa pluck d7777777", 14,
     "d7777777 is beyond every scale, which has at most 1000 steps; expected d0 to d999"),
    ("0 t.pa pluck ramp=1ns", 19, "ns is not a unit; expected s, ms or us"),
    ("0x10 t.pa pluck", 1,
     "0x10 is not a time; expected 4 (beats), 1/3, 1.5s, 250ms, 3:2, + or +3"),
    ("tempo 0 60->90 @ 4", 9,
     "60->90 has no blanks around ->; expected tempo BEAT BPM -> BPM @ BEAT"),
    ("tempo 0 60 -> 90@4", 15,
     "90@4 has no blanks around @; expected tempo BEAT BPM -> BPM @ BEAT"),
    ("set t.z*.gain = 1", 7, "z* is not a name; expected * for a whole part, between points"),
    ("00:1 t.pa pluck", 1, "00:1 is before the first matra; expected bar and matra from 1 (1:1)"),
]
ALONE = {"end", "section", "include", "use", "tuning", "tala", "tempo", "render", "draw",
         "grace t.pa pluck", "repeat", "0 t.pa bend (0:re", '0 t.pa pluck f="abc'}


@pytest.mark.parametrize(("line", "column", "message"), BAD_LINES,
                         ids=[line for line, _, _ in BAD_LINES])
def test_a_bad_line_is_reported_at_its_place(line, column, message, tmp_path):
    rest = "" if line.startswith("section") else SECTION
    [problem] = parse(f"{HEAD}{line}\n{rest}", file="bad.score", folder=tmp_path).problems
    assert (problem.place.line, problem.place.col, problem.message) == (2, column, message)
    assert problem.place.text == line.split("\n")[0]
    assert str(problem).startswith(f"bad.score:2:{column}: ")


def test_there_are_enough():
    assert len({line for line, _, _ in BAD_LINES}) == len(BAD_LINES) >= 60


@pytest.mark.parametrize("good", ["9 t.pa pluck\n", "# a comment\n\n"])
def test_none_is_skipped_among_others(good):
    """All wrong lines in one score, a good one after each: each is reported at its line, and every
    good row is played."""
    # a + is wrong only where nothing stands above it
    wrong = [line for line, _, _ in BAD_LINES
             if not {line, line.split()[0]} & ALONE and "\n" not in line and line[0] != "+"]
    parsed = parse(HEAD + "".join(f"{line}\n{good}" for line in wrong) + SECTION, file="bad.score",
                   folder=Path())
    step = 1 + good.count("\n")
    assert len(wrong) > 100
    assert {problem.place.line for problem in parsed.problems} == {
        2 + step * index for index in range(len(wrong))}
    assert [problem.place.line for problem in parsed.problems] == sorted(
        problem.place.line for problem in parsed.problems)
    played = [event for event in timeline(parsed.score).events if event.time == 9.0]
    assert len(played) == len(wrong) * good.startswith("9")


ROWS = ["use tanpura as t", "tempo 120", "0\tt.pa  pluck re-14c f=0.6N x=0.4 # a comment", "",
        "section a", "  0 t.* pluck", "  + t.sa1 damp", "end", "play a at=1 times=2 every=4",
        "1.5s t.pa pluck C#3"]
FILES = {
    "LF": "\n".join(ROWS) + "\n",
    "CRLF": "\r\n".join(ROWS) + "\r\n",
    "both": "\r\n".join(ROWS[:4]) + "\r\n" + "\n".join(ROWS[4:]),
    "no end of line": "\n".join(ROWS),
    "a BOM": "\ufeff" + "\n".join(ROWS),
    "a BOM and CRLF": "\ufeff" + "\r\n".join(ROWS),
    "tabs": "\n".join(row.replace(" ", "\t")
                      for row in ROWS[:2]) + "\n" + "\n".join(f"\t{row}" for row in ROWS[2:]),
    "trailing blanks": " \t \n".join(ROWS) + "   ",
    "blank lines": "\n\n \n\t\n".join(ROWS),
    "Devanagari": "\n".join(ROWS).replace("t.", "तानपुरा.").replace("as t", "as तानपुरा").replace(
        "n a", "n आलाप").replace("y a", "y आलाप"),
    "a comment of another script": "# आलाप, 音 and 🎵\n" + "\n".join(ROWS),
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_good_files_say_the_same(text, tmp_path):
    folder = tmp_path / "राग यमन"
    folder.mkdir()
    (folder / "आलाप.score").write_bytes(text.encode())
    made = events(load_score(folder / "आलाप.score"))
    assert [(event.time, event.duration, event.target[1], event.verb, event.pitch
             and event.pitch.text) for event in made] == [(0.0, 0.5, "pa", "pluck", "re-14c"),
                                                          (0.5, 0.5, "*", "pluck", None),
                                                          (1.0, 0.5, "sa1", "damp", None),
                                                          (1.5, 0.5, "pa", "pluck", "C#3"),
                                                          (2.5, 0.5, "*", "pluck", None),
                                                          (3.0, 0.5, "sa1", "damp", None)]


def test_files_of_any_name_are_found(tmp_path):
    folder = tmp_path / "यमन"
    folder.mkdir()
    (folder / "मुख्य अंश.score").write_text(
        'use "तानपुरा.toml" as त\ninclude "अंत #2.score" at=3\n0 त.प pluck\n')
    (folder / "अंत #2.score").write_text("1 त.सा pluck\n")
    score = load_score(folder / "मुख्य अंश.score")
    assert [(event.time, event.target) for event in events(score)] == [
        (0.0, ("त", "प")), (4.0, ("त", "सा"))]
    (folder / "अंत #2.score").write_text("1 त.सा plukk\n")
    with pytest.raises(ScoreError,
                       match=r"अंत #2\.score:1:8: plukk is not a verb; did you mean pluck?"):
        load_score(folder / "मुख्य अंश.score")


@pytest.mark.parametrize(("line", "column"), [("\tसा.प\tpluck", 2), ("0 त.प pluk", 7),
                                              ("\ufeff0 t.pa pluk", 8), ("0 त.प pluck f=ि", 15)])
def test_columns_count_code_points(line, column):
    assert column in [
        problem.place.col for problem in parse(line, file="x.score", folder=Path()).problems]
