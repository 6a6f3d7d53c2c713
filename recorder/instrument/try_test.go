package instrument
import ("testing";"context";"os";"os/exec";"time";"strings")
func TestTry(t *testing.T){
 ctx:=context.Background()
 os.Chdir(os.Getenv("TRYDIR"))
 args:=strings.Fields(os.Getenv("TRYCMD"))
 tc,err:=FindToolchain(ctx,args[0]); if err!=nil{t.Fatal(err)}
 t0:=time.Now()
 tools,err:=MakeTools(ctx,tc); if err!=nil{t.Fatal(err)}
 t.Log(time.Since(t0))
 p,err:=Make(ctx,tc,tools,args,Options{Tests:true,Trivial:true,Packages:strings.Fields(os.Getenv("TRYPKG"))}); if err!=nil{t.Fatal(err)}
 t.Log(p.Args)
 c:=exec.Command(p.Args[0],p.Args[1:]...)
 c.Env=append(append(os.Environ(),p.Env...),"TRACEX_RECORD="+os.Getenv("TRYRAW"))
 c.Stdout,c.Stderr=os.Stdout,os.Stderr
 err=c.Run(); t.Log(err)
}
